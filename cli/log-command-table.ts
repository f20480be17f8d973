import { type Command, InvalidArgumentError, Option } from 'commander';
import { MAX_LOG_LINES, OUTPUT_STREAMS } from '../domain/logs/output-line.ts';
import { LEVEL_FILTERS } from '../domain/logs/parse-entry.ts';
import { fromMoment } from './moment-option.ts';
import { duration, wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadTail = () => import('./commands/tail.ts');
const loadPlatform = () => import('./commands/platform.ts');
const loadBackups = () => import('./commands/platform-backups.ts');

const LONGEST_AGO_SECONDS = 366 * 86_400;

/** Declares `fairlead tail …` and `fairlead platform …`. */
export function addLogCommands(program: Command, perform: Perform, serviceArgument: string): void {
  tailOptions(
    program
      .command('tail')
      .description('show what a service prints, across its deploys')
      .argument('[service]', serviceArgument),
    ['all', ...OUTPUT_STREAMS],
  )
    .option('--release <release>', 'only what the workloads of this release printed')
    .option(
      '--since <time>',
      'only lines from then on: 15m, a day, or a time such as 2026-11-21T14:00:00Z',
      momentOrAgo,
    )
    .option('--until <time>', 'only lines before then', momentOrAgo)
    .option('--contains <text>', 'only lines with this text, in upper or lower case')
    .action((service, _options, self) =>
      perform(self, async (context) => (await loadTail()).tail(context, service, self.opts())),
    );
  const platform = program
    .command('platform')
    .description('the platform’s own programs and its backups (platform admins)');
  platform
    .command('logs')
    .description('list the log files of the platform’s programs')
    .action((_options, self) => perform(self, async (context) => (await loadPlatform()).listPlatformLogs(context)));
  tailOptions(
    platform
      .command('tail')
      .description('show what a program of the platform prints')
      .argument('[part]', 'name of the program, such as worker (default: the one of the builder)'),
    OUTPUT_STREAMS,
  ).action((part, _options, self) =>
    perform(self, async (context) => (await loadPlatform()).tailPlatform(context, part, self.opts())),
  );
  addPlatformBackupCommands(platform, perform);
}

function addPlatformBackupCommands(platform: Command, perform: Perform): void {
  platform
    .command('backup')
    .description('back the platform itself up now, and wait for the end')
    .option('--detach', 'do not wait')
    .action((_options, self) =>
      perform(self, async (context) => (await loadBackups()).backUpPlatform(context, self.opts())),
    );
  platform
    .command('backups')
    .description('list backups of the platform, newest first')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 20)
    .action((_options, self) =>
      perform(self, async (context) => (await loadBackups()).listPlatformBackups(context, self.opts())),
    );
  platform
    .command('backup-cancel')
    .description('cancel a backup of the platform that runs')
    .argument('<backup>', 'id of the backup')
    .action((backup, _options, self) =>
      perform(self, async (context) => (await loadBackups()).cancelPlatformBackup(context, backup)),
    );
}

/** @param streams the first is the default */
function tailOptions(command: Command, streams: readonly string[]): Command {
  return command
    .option('-f, --follow', 'follow until Ctrl-C')
    .option('-n, --lines <count>', 'how many of the last lines', wholeNumber(1, MAX_LOG_LINES), 100)
    .addOption(new Option('--stream <stream>', 'which output').choices(streams).default(streams[0]))
    .addOption(
      new Option('--level <level>', 'only lines of this level and graver ones').choices(LEVEL_FILTERS).default('all'),
    );
}

const ago = duration(1, LONGEST_AGO_SECONDS);

/** A moment, or how long ago it was, as an ISO time. */
function momentOrAgo(text: string): string {
  if (/^\d+[smhd]$/.test(text.trim())) return new Date(Date.now() - ago(text) * 1_000).toISOString();
  try {
    return fromMoment(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError(`${error.message} Or how long ago it was, such as 15m.`);
  }
}
