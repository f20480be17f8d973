import type { Command } from 'commander';
import { wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const load = () => import('./commands/registry.ts');

const LIMIT_FLAG = ['-n, --limit <count>', 'how many', wholeNumber(1, MOST), 200] as const;
const SERVICE = 'service (default: the service of this folder)';

/** Declares `fairlead registry …`. */
export function addRegistryCommands(program: Command, perform: Perform): void {
  const registry = program.command('registry').description('what deploys registered: services, routes, changelogs');
  registry
    .command('services', { isDefault: true })
    .description('list the services that are registered, and where')
    .option(...LIMIT_FLAG)
    .action((_options, self) => perform(self, async (context) => (await load()).listRegistered(context, self.opts())));
  registry
    .command('routes')
    .description('list the routes of a service in the environment, with what a call costs and who pays')
    .argument('[service]', SERVICE)
    .action((service, _options, self) => perform(self, async (context) => (await load()).listRoutes(context, service)));
  registry
    .command('changelog')
    .description('show what is new in a service, as its last deploy to prod published it')
    .argument('[service]', SERVICE)
    .action((service, _options, self) =>
      perform(self, async (context) => (await load()).showChangelog(context, service)),
    );
  registry
    .command('packages')
    .description('list the changelogs of packages, or show one')
    .argument('[package]', 'a package, or one version of it: <package>@<version>')
    .option(...LIMIT_FLAG)
    .action((name, _options, self) =>
      perform(self, async (context) => (await load()).showPackages(context, name, self.opts())),
    );
}
