import { type Command, Option } from 'commander';
import { ENVIRONMENTS } from '../domain/environment.ts';
import { GIT_PROVIDERS } from '../domain/git-provider.ts';
import { collect, duration, wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const load = () => import('./commands/git-connections.ts');
const loadLists = () => import('./commands/git-lists.ts');

const CONNECTION = 'id of the connection, or a service that it deploys (default: the service of this folder)';
const MINUTE = 60;
const DAY = 1_440 * MINUTE;

/** Declares the commands of `fairlead git` about repositories whose pushes deploy. */
export function addGitConnectionCommands(git: Command, perform: Perform): void {
  addConnect(git, perform);
  addReading(git, perform);
  addChanging(git, perform);
}

function addConnect(git: Command, perform: Perform): void {
  git
    .command('connect')
    .description('have pushes to the repository of a service deploy it')
    .argument('[service]', 'service (default: the service of this folder)')
    .addOption(new Option('--provider <name>', 'git host').choices([...GIT_PROVIDERS]).makeOptionMandatory())
    .option('--repository <address>', 'repository (default: the one that the service is built from)')
    .option('--api <address>', 'API of the git host where it is not at its usual place')
    .option('--branch <pattern>', 'branch that deploys; * stands for any characters (may be repeated)', collect, [])
    .option('--tag <pattern>', 'tag that deploys (may be repeated)', collect, [])
    .addOption(
      new Option('--to <environment>', 'environment of these rules').choices([...ENVIRONMENTS]).default('prod'),
    )
    .option(
      '--watch <glob>',
      'deploy only when a path below changed; !docs/** leaves out (may be repeated)',
      collect,
      [],
    )
    .option('--add', 'keep the rules that the service has, such as those for another environment')
    .option('--token', 'register the hook and set statuses by an API token; prompts for it or reads it from stdin')
    .option('--secret', 'use the secret of a hook that is there; prompts for it or reads it from stdin')
    .option('--plain-token', 'GitLab: prove deliveries by its plain token, which is weaker than signatures')
    .option('--poll <time>', 'look every so often where no hook can arrive, such as 5m', duration(MINUTE, DAY))
    .action((service, _options, self) =>
      perform(self, async (context) => (await load()).connect(context, service, self.opts())),
    );
}

function addReading(git: Command, perform: Perform): void {
  git
    .command('list')
    .description('list the repositories that the org connected')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 50)
    .action((_options, self) =>
      perform(self, async (context) => (await loadLists()).listConnections(context, self.opts())),
    );
  git
    .command('deliveries')
    .description('list what was delivered, and what each deployed or why not')
    .argument('[connection]', CONNECTION)
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 20)
    .action((connection, _options, self) =>
      perform(self, async (context) => (await loadLists()).listDeliveries(context, connection, self.opts())),
    );
  git
    .command('look')
    .description('look at the branches and tags that deploy, as after a push')
    .argument('[connection]', CONNECTION)
    .option('--ref <name>', 'only this one, such as refs/heads/main')
    .action((connection, _options, self) =>
      perform(self, async (context) => (await load()).look(context, connection, self.opts())),
    );
}

function addChanging(git: Command, perform: Perform): void {
  git
    .command('rotate')
    .description('make another secret; the older one stays good until --finish')
    .argument('[connection]', CONNECTION)
    .option('--finish', 'take the older secret away')
    .option('--secret', 'bring the new secret; prompts for it or reads it from stdin')
    .action((connection, _options, self) =>
      perform(self, async (context) => (await load()).rotate(context, connection, self.opts())),
    );
  for (const paused of [true, false]) {
    git
      .command(paused ? 'pause' : 'resume')
      .description(paused ? 'let pushes deploy nothing' : 'let pushes deploy again')
      .argument('[connection]', CONNECTION)
      .action((connection, _options, self) =>
        perform(self, async (context) => (await load()).setPaused(context, connection, paused)),
      );
  }
  git
    .command('poll')
    .description('look at a repository every so often, where no hook can arrive')
    .argument('[connection]', CONNECTION)
    .addOption(new Option('--every <time>', 'such as 5m').argParser(duration(MINUTE, DAY)).conflicts('off'))
    .option('--off', 'look no more unasked')
    .action((connection, _options, self) =>
      perform(self, async (context) => (await load()).poll(context, connection, self.opts())),
    );
  git
    .command('token')
    .description('give a connection another API token; prompts for it or reads it from stdin')
    .argument('[connection]', CONNECTION)
    .option('--remove', 'take it away')
    .action((connection, _options, self) =>
      perform(self, async (context) => (await load()).setToken(context, connection, self.opts())),
    );
  git
    .command('disconnect')
    .description('let pushes deploy nothing any more, and forget the connection; asks first')
    .argument('[connection]', CONNECTION)
    .option('--yes', 'do not ask')
    .action((connection, _options, self) =>
      perform(self, async (context) => (await load()).disconnect(context, connection, self.opts())),
    );
}
