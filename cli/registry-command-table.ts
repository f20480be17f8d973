import type { Command } from 'commander';
import { wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const load = () => import('./commands/registry.ts');
const loadService = () => import('./commands/registered-service.ts');
const loadPublish = () => import('./commands/publish-package.ts');

const LIMIT_FLAG = ['-n, --limit <count>', 'how many', wholeNumber(1, MOST), 200] as const;
const SERVICE = 'service (default: the service of this folder)';

/** Declares `fairlead registry …`. */
export function addRegistryCommands(program: Command, perform: Perform): void {
  const registry = program.command('registry').description('what deploys registered: services, routes, changelogs');
  addLists(registry, perform);
  addListsOfService(registry, perform);
  addPackages(registry, perform);
}

function addLists(registry: Command, perform: Perform): void {
  registry
    .command('services', { isDefault: true })
    .description('list the services that are registered, and where')
    .option(...LIMIT_FLAG)
    .action((_options, self) => perform(self, async (context) => (await load()).listRegistered(context, self.opts())));
  registry
    .command('namespaces')
    .description('list the namespaces of services: one for each environment that a service was deployed to')
    .option(...LIMIT_FLAG)
    .action((_options, self) => perform(self, async (context) => (await load()).listNamespaces(context, self.opts())));
}

function addListsOfService(registry: Command, perform: Perform): void {
  registry
    .command('routes')
    .description('list the routes of a service in the environment, with what a call costs and who pays')
    .argument('[service]', SERVICE)
    .action((service, _options, self) => perform(self, async (context) => (await load()).listRoutes(context, service)));
  registry
    .command('modules')
    .description('list the modules of a service in the environment, which orgs switch on')
    .argument('[service]', SERVICE)
    .action((service, _options, self) =>
      perform(self, async (context) => (await loadService()).listModules(context, service)),
    );
  registry
    .command('bindings')
    .description('list the queues and schedules that call a service in the environment')
    .argument('[service]', SERVICE)
    .option(...LIMIT_FLAG)
    .action((service, _options, self) =>
      perform(self, async (context) => (await loadService()).listBindings(context, service, self.opts())),
    );
  registry
    .command('deploys')
    .description('list the deploys of a service to the environment, newest first, with what was installed')
    .argument('[service]', SERVICE)
    .option(...LIMIT_FLAG)
    .action((service, _options, self) =>
      perform(self, async (context) => (await loadService()).listDeploys(context, service, self.opts())),
    );
  registry
    .command('changelog')
    .description('show what is new in a service, as its last deploy to prod published it')
    .argument('[service]', SERVICE)
    .action((service, _options, self) =>
      perform(self, async (context) => (await load()).showChangelog(context, service)),
    );
}

function addPackages(registry: Command, perform: Perform): void {
  registry
    .command('packages')
    .description('list the changelogs of packages, or show one')
    .argument('[package]', 'a package, or one version of it: <package>@<version>')
    .option(...LIMIT_FLAG)
    .action((name, _options, self) =>
      perform(self, async (context) => (await load()).showPackages(context, name, self.opts())),
    );
  registry
    .command('publish')
    .description('publish the changelog of a version of a package, once; reads the notes from stdin')
    .argument('<package>', 'the version: <package>@<version>')
    .action((entry, _options, self) =>
      perform(self, async (context) => (await loadPublish()).publishPackage(context, entry)),
    );
}
