import { type Command, InvalidArgumentError, Option } from 'commander';
import { GRANT_WAIT_SECONDS } from '../domain/deploys/build-wait.ts';
import { BUILD_STATUSES } from '../domain/deploys/status.ts';
import { addAuthorizedOrgsCommands } from './authorized-orgs-command-table.ts';
import { addConfigCommands } from './config-command-table.ts';
import { addDatabaseCommands } from './database-command-table.ts';
import { addDomainCommands } from './domain-command-table.ts';
import { addGitCommands } from './git-command-table.ts';
import { addGrantCommands } from './grant-command-table.ts';
import { addIncidentCommands } from './incident-command-table.ts';
import { addKeyCommands } from './key-command-table.ts';
import { addLockerCommands } from './locker-command-table.ts';
import { addLogCommands } from './log-command-table.ts';
import { addMonitorCommands } from './monitor-command-table.ts';
import { addOauthCommands } from './oauth-command-table.ts';
import { collect, duration, wholeNumber } from './option-values.ts';
import { addOrgCommands } from './org-command-table.ts';
import { addPeopleCommands } from './people-command-table.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';
import { addRegistryCommands } from './registry-command-table.ts';
import { addUserCommands } from './user-command-table.ts';
import { addWalletCommands } from './wallet-command-table.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadBuilds = () => import('./commands/builds.ts');
const loadDeploy = () => import('./commands/deploy.ts');
const loadLockfile = () => import('./commands/lockfile.ts');
const loadLogin = () => import('./commands/login.ts');
const loadLogout = () => import('./commands/logout.ts');
const loadLogs = () => import('./commands/logs.ts');
const loadConsole = () => import('./commands/console.ts');
const loadOpen = () => import('./commands/open.ts');
const loadServices = () => import('./commands/services.ts');
const loadWhoami = () => import('./commands/whoami.ts');

/** Declares every command with its arguments and options. */
export function addCommands(program: Command, perform: Perform): void {
  addDeploy(program, perform);
  addBuildCommands(program, perform);
  addLogCommands(program, perform, SERVICE_ARGUMENT);
  addServiceCommands(program, perform);
  addConfigCommands(program, perform);
  addLockerCommands(program, perform);
  addDatabaseCommands(program, perform);
  addDomainCommands(program, perform);
  addGrantCommands(program, perform);
  addGitCommands(program, perform);
  addOauthCommands(program, perform);
  addOrgCommands(program, perform);
  addPeopleCommands(program, perform);
  addUserCommands(program, perform);
  addKeyCommands(program, perform);
  addWalletCommands(program, perform);
  addRegistryCommands(program, perform);
  addMonitorCommands(program, perform);
  addIncidentCommands(program, perform);
  addLoginCommands(program, perform);
  // Handled by the entry before anything is loaded; declared here so that the help shows it.
  for (const [name, description] of [
    ['doctor', 'explain what is missing on this machine and how to get it'],
    [
      'credentials [part]',
      'print by which you open the parts of this checkout’s stack: Temporal and its UI, databases, object store, registry',
    ],
  ] as const) {
    const [word] = name.split(' ');
    program
      .command(name)
      .description(description)
      .allowUnknownOption()
      .action((...all) => {
        const self: Command = all[all.length - 1];
        self.error(`error: write it first, as in \`fairlead ${word} --json\``, { exitCode: 2 });
      });
  }
}

function addDeploy(program: Command, perform: Perform): void {
  const command = program
    .command('deploy')
    .description('deploy a folder (uploaded) or a git repository, and follow the build')
    .argument('[source]', 'folder or git address', '.')
    .option(
      '--name <service>',
      'service name (default: from the catalog, else the repository, the folder or the manifest)',
    )
    .option('--git', 'deploy the folder as a git repository, at its HEAD, instead of uploading it')
    .option('--branch <branch>', 'branch to build')
    .option('--commit <sha>', 'commit to build')
    .option('--dir, --app-path <path>', 'directory of the app inside the source')
    .option('--port <port>', 'port the service listens on', wholeNumber(1, 65_535))
    .option('--set <KEY=VALUE>', 'store a config value before the deploy (may be repeated)', collect, [])
    .option(
      '--secret <KEY>',
      'store a secret before the deploy; prompts for its value or reads it from stdin',
      collect,
      [],
    )
    .option(
      '--skip-convention-check <reason>',
      'deploy although conventions are violated; the audit ledger is told who did so and why',
    )
    .option('--plan', 'show the steps without running anything');
  followOptions(waitOption(command)).action((source, _options, self) =>
    perform(self, async (context) => (await loadDeploy()).deploy(context, source, self.opts())),
  );
}

function waitOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--wait-for-grants [time]',
      'wait until other orgs granted the scopes of theirs that the catalog asks for, and then go on (default: 24h)',
    ).argParser(grantWait),
  );
}

const grantWaitSeconds = duration(GRANT_WAIT_SECONDS.min, GRANT_WAIT_SECONDS.max);

/** What stands after the option is taken for its time, also a folder. */
function grantWait(text: string): number {
  try {
    return grantWaitSeconds(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError(`${error.message} A folder or a build stands before the option, or after --.`);
  }
}

function addBuildCommands(program: Command, perform: Perform): void {
  program
    .command('builds')
    .description('list builds, newest first')
    .argument('[service]', 'only this service')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 20)
    .addOption(new Option('--status <status>', 'only with this status').choices(BUILD_STATUSES))
    .action((service, _options, self) =>
      perform(self, async (context) => {
        const allEnvironments = self.parent?.getOptionValueSource('env') === 'default';
        return (await loadBuilds()).builds(context, service, { ...self.opts(), allEnvironments });
      }),
    );
  program
    .command('logs')
    .description('show the log of a build')
    .argument('[build]', BUILD_ARGUMENT)
    .option('-f, --follow', 'follow until the build ends')
    .action((build, _options, self) =>
      perform(self, async (context) => (await loadLogs()).logs(context, build, self.opts())),
    );
  program
    .command('lockfile')
    .description('print the lockfile that the install of a build wrote, for a source that has none')
    .argument('[build]', BUILD_ARGUMENT)
    .option('--write [folder]', 'put it into a folder instead (default: this one)')
    .action((build, _options, self) =>
      perform(self, async (context) => (await loadLockfile()).lockfile(context, build, self.opts())),
    );
  program
    .command('cancel')
    .description('cancel a build and wait until it has ended')
    .argument('[build]', BUILD_ARGUMENT)
    .action((build, _options, self) => perform(self, async (context) => (await loadBuilds()).cancel(context, build)));
  followOptions(
    waitOption(
      program
        .command('retry')
        .description('run a failed build again from the step that failed')
        .argument('[build]', BUILD_ARGUMENT)
        .option('--from <step>', 'start at this earlier step'),
    ),
  ).action((build, _options, self) =>
    perform(self, async (context) => (await loadBuilds()).retry(context, build, self.opts())),
  );
  followOptions(
    program
      .command('rollback')
      .description('install an earlier release again without building it')
      .argument('[service]', SERVICE_ARGUMENT)
      .option('--to <release>', 'release to install (default: the previous one)'),
  ).action((service, _options, self) =>
    perform(self, async (context) => (await loadBuilds()).rollback(context, service, self.opts())),
  );
}

function addServiceCommands(program: Command, perform: Perform): void {
  program
    .command('link')
    .description('register a service with its repository, without deploying')
    .argument('[source]', 'folder or git address', '.')
    .option('--name <service>', 'service name')
    .option('--branch <branch>', 'branch that deploys build')
    .option('--dir, --app-path <path>', 'directory of the app inside the repository')
    .option('--port <port>', 'port the service listens on', wholeNumber(1, 65_535))
    .action((source, _options, self) =>
      perform(self, async (context) => (await loadServices()).link(context, source, self.opts())),
    );
  program
    .command('status')
    .description('show where a service is live and its last builds')
    .argument('[service]', SERVICE_ARGUMENT)
    .action((service, _options, self) =>
      perform(self, async (context) => (await loadServices()).status(context, service)),
    );
  program
    .command('releases')
    .description('list the releases of an environment, newest first')
    .argument('[service]', SERVICE_ARGUMENT)
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 20)
    .action((service, _options, self) =>
      perform(self, async (context) => (await loadServices()).releases(context, service, self.opts())),
    );
  program
    .command('open')
    .description('print the address of a service; on a terminal, open it too')
    .argument('[service]', SERVICE_ARGUMENT)
    .action((service, _options, self) => perform(self, async (context) => (await loadOpen()).open(context, service)));
  program
    .command('console')
    .description('print the address of the console; on a terminal, open it too')
    .action((_options, self) => perform(self, async (context) => (await loadConsole()).openConsole(context)));
  const services = program.command('services').description('list, show, share or delete services');
  services
    .command('list', { isDefault: true })
    .description('list services')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 50)
    .action((_options, self) =>
      perform(self, async (context) => (await loadServices()).listServices(context, self.opts())),
    );
  services
    .command('show')
    .description('show the record of a service; secrets by name only')
    .argument('<service>')
    .action((service, _options, self) =>
      perform(self, async (context) => (await loadServices()).showService(context, service)),
    );
  services
    .command('delete')
    .description('remove a service from every environment and delete it')
    .argument('<service>')
    .option('--yes', 'delete without confirmation')
    .action((service, _options, self) =>
      perform(self, async (context) => (await loadServices()).deleteService(context, service, self.opts())),
    );
  addAuthorizedOrgsCommands(services, perform);
}

function addLoginCommands(program: Command, perform: Perform): void {
  program
    .command('login')
    .description('log in at the identity provider of the API; later commands act as you')
    .option('--device', 'log in with a code on another device instead of a browser here')
    .action((_options, self) => perform(self, async (context) => (await loadLogin()).login(context, self.opts())));
  program
    .command('logout')
    .description('end the login at the identity provider and delete it here')
    .action((_options, self) => perform(self, async (context) => (await loadLogout()).logout(context)));
  program
    .command('whoami')
    .description('show who commands act as')
    .action((_options, self) => perform(self, async (context) => (await loadWhoami()).whoami(context)));
}

const BUILD_ARGUMENT = 'build id, or service name for its newest build (default: the service of this folder)';
const SERVICE_ARGUMENT = 'service name (default: the service of this folder)';

function followOptions(command: Command): Command {
  return command
    .option('-d, --detach', 'return as soon as the build is accepted')
    .option('--no-logs', 'hide log lines')
    .option('--verbose', 'show every step and every log line');
}
