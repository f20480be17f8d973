import { type Command, Option } from 'commander';
import { MOST_MAINTENANCE_DAYS } from '../domain/monitors/maintenance.ts';
import { INTERVAL_SECONDS } from '../domain/monitors/monitor.ts';
import { OBJECTIVE_DAYS, TARGET_PERCENT } from '../domain/monitors/objective.ts';
import { collect, duration, percentage, wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const load = () => import('./commands/monitors.ts');
const loadReport = () => import('./commands/monitor-report.ts');
const loadSecrets = () => import('./commands/monitor-secrets.ts');
const loadFiles = () => import('./commands/monitor-files.ts');

const MONITOR = 'id, or name in the environment';
const ORG = ['--org <slug>', 'of this org (default: yours; all with the key of the platform)'] as const;
const OWN_ORG = ['--org <slug>', 'of this org (default: yours, or that of the platform)'] as const;
/** Commander mixes no options of two commands up: each gets its own. */
const header = () =>
  new Option('--header <line>', 'of http(s), a header such as "X-Tenant: acme"; may be repeated').argParser(collect);
const headerSecret = () =>
  new Option(
    '--header-secret <pair>',
    'a header with a secret, such as Authorization=payments-token; may be repeated',
  ).argParser(collect);
const STATES = ['pending', 'up', 'degraded', 'down', 'paused', 'maintenance', 'unknown'];

/** Declares `fairlead monitors …`. */
export function addMonitorCommands(program: Command, perform: Perform): void {
  const monitors = program.command('monitors').description('what is watched, how it is, and how it was');
  addReading(monitors, perform);
  addReport(monitors, perform);
  addAdding(monitors, perform);
  addChanges(monitors, perform);
  addSecrets(monitors, perform);
  addFiles(monitors, perform);
}

function addReading(monitors: Command, perform: Perform): void {
  monitors
    .command('list', { isDefault: true })
    .description('list monitors with how they are, of all environments unless -e names one')
    .option(...ORG)
    .addOption(new Option('--state <state>', 'in this state alone').choices(STATES))
    .option('--find <text>', 'with this in the name or target')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 200)
    .action((_options, self) =>
      perform(self, async (context) => {
        const allEnvironments = self.parent?.parent?.getOptionValueSource('env') === 'default';
        return (await load()).listMonitors(context, { ...self.opts(), allEnvironments });
      }),
    );
  monitors
    .command('show')
    .description('show a monitor, with its uptime')
    .argument('<monitor>', MONITOR)
    .action((monitor, _options, self) =>
      perform(self, async (context) => (await load()).showMonitor(context, monitor)),
    );
}

function addReport(monitors: Command, perform: Perform): void {
  monitors
    .command('report')
    .description('show how monitors were in a month, against their objectives')
    .argument('[month]', 'such as 2026-11 (default: the running one)')
    .option(...ORG)
    .option('--csv', 'as CSV, for spreadsheets')
    .action((month, _options, self) =>
      perform(self, async (context) => (await loadReport()).reportMonitors(context, month, self.opts())),
    );
}

function addAdding(monitors: Command, perform: Perform): void {
  monitors
    .command('add')
    .description('watch something that the builder does not deploy')
    .argument('<name>', 'lower-case letters, digits and dashes')
    .argument(
      '<target>',
      'https://…, wss://…, tcp://<host>:<port>, tls://<host>, dns://<name>, postgres://<host>, mongodb://<host>, or heartbeat:<seconds> for a job that reports',
    )
    .option(
      '--interval <time>',
      'time between two checks, such as 30s (default: 60s)',
      duration(INTERVAL_SECONDS.min, INTERVAL_SECONDS.max),
    )
    .option('--expect-status <status>', 'the HTTP status that counts as up, instead of any 2xx', wholeNumber(100, 599))
    .option('--expect-body <text>', 'a part of the body that has to be there')
    .option('--latency <milliseconds>', 'slower answers count as degraded', wholeNumber(1, 10_000))
    .option('--grace <time>', 'how much later than its time a job may report', duration(1, 86_400))
    .addOption(header())
    .addOption(headerSecret())
    .option('--public', 'show it on the status page')
    .option('--org <slug>', 'whose it is (default: your org, or that of the platform)')
    .action((name, target, _options, self) =>
      perform(self, async (context) => (await load()).addMonitor(context, name, target, self.opts())),
    );
}

function addChanges(monitors: Command, perform: Perform): void {
  for (const [command, paused, description] of [
    ['pause', true, 'check a monitor no more until it is resumed'],
    ['resume', false, 'check a paused monitor again'],
  ] as const) {
    monitors
      .command(command)
      .description(description)
      .argument('<monitor>', MONITOR)
      .action((monitor, _options, self) =>
        perform(self, async (context) => (await load()).pauseMonitor(context, monitor, paused)),
      );
  }
  monitors
    .command('interval')
    .description('check a monitor at another interval, also after the next deploy of its service')
    .argument('<monitor>', MONITOR)
    .argument('[time]', 'such as 30s or 5m', duration(INTERVAL_SECONDS.min, INTERVAL_SECONDS.max))
    .option('--reset', 'at the interval that deploys say')
    .action((monitor, seconds, { reset }, self) =>
      perform(self, async (context) => (await load()).changeInterval(context, monitor, { seconds, reset })),
    );
  monitors
    .command('objective')
    .description('say how much of the time a monitor has to be up: alerts tell when it will be missed')
    .argument('<monitor>', MONITOR)
    .argument('[percent]', 'such as 99.9', percentage(TARGET_PERCENT.min, TARGET_PERCENT.max))
    .addOption(
      new Option('--days <days>', 'over the last so many days').choices(OBJECTIVE_DAYS.map(String)).default('30'),
    )
    .option('--none', 'it has no objective any more')
    .action((monitor, targetPercent, { days, none }, self) =>
      perform(self, async (context) =>
        (await load()).setObjective(context, monitor, { targetPercent, windowDays: Number(days), none }),
      ),
    );
  monitors
    .command('maintenance')
    .description('let a monitor fail for a time from now on: neither told nor counted')
    .argument('<monitor>', MONITOR)
    .argument('<time>', 'such as 90m or 2h', duration(60, MOST_MAINTENANCE_DAYS * 86_400))
    .option('--note <text>', 'what is done')
    .action((monitor, seconds, { note }, self) =>
      perform(self, async (context) => (await load()).maintainMonitor(context, monitor, { seconds, note })),
    );
  monitors
    .command('end-maintenance')
    .description('end the maintenance of a monitor now')
    .argument('<monitor>', MONITOR)
    .option('--planned', 'withdraw the times to come as well')
    .action((monitor, _options, self) =>
      perform(self, async (context) => (await load()).endMaintenance(context, monitor, self.opts())),
    );
  monitors
    .command('repeat-maintenance')
    .description('let monitors fail again and again: neither told nor counted')
    .argument('<time>', 'how long each time is, such as 90m', duration(60, 86_400))
    .argument('<monitors...>', MONITOR)
    .option('--weekly <days>', 'on these days of the week, such as sun or mon-fri')
    .option('--monthly <days>', 'on these days of the month, such as 1,15')
    .option('--at <time>', 'at this time of day, such as 03:30')
    .option('--cron <line>', 'minute, hour, day, month and weekday, such as "30 3 * * sun"')
    .option('--zone <zone>', 'by the clocks of this time zone, such as Europe/Berlin', 'UTC')
    .option('--note <text>', 'what is done')
    .action((seconds, names, _options, self) =>
      perform(self, async (context) => (await load()).repeatMaintenance(context, seconds, names, self.opts())),
    );
  monitors
    .command('end-repeat')
    .description('end recurring maintenance of a monitor for good')
    .argument('<monitor>', MONITOR)
    .argument('<maintenance>', 'as `monitors show` names it')
    .action((monitor, maintenance, _options, self) =>
      perform(self, async (context) => (await load()).endRepeat(context, monitor, maintenance)),
    );
  monitors
    .command('rotate-token')
    .description('give a heartbeat another address; the one before goes on for a while')
    .argument('<monitor>', MONITOR)
    .option('--overlap <hours>', 'how long the address before goes on; 0 ends it now', wholeNumber(0, 168), 24)
    .action((monitor, { overlap }, self) =>
      perform(self, async (context) => (await load()).rotateToken(context, monitor, overlap)),
    );
  monitors
    .command('remove')
    .description('remove a monitor that was added by hand, or whose service or domain is gone')
    .argument('<monitor>', MONITOR)
    .option('--yes', 'remove without confirmation')
    .action((monitor, _options, self) =>
      perform(self, async (context) => (await load()).removeMonitor(context, monitor, self.opts())),
    );
}

function addSecrets(monitors: Command, perform: Perform): void {
  monitors
    .command('headers')
    .description('say which request headers a check over HTTP sends, in the place of those that it had')
    .argument('<monitor>', MONITOR)
    .addOption(header())
    .addOption(headerSecret())
    .option('--none', 'it sends none of its own any more')
    .action((monitor, _options, self) =>
      perform(self, async (context) => (await loadSecrets()).setHeaders(context, monitor, self.opts())),
    );
  monitors
    .command('secrets')
    .description('list secrets that checks may send: their hosts, and never a value')
    .option(...OWN_ORG)
    .action((_options, self) =>
      perform(self, async (context) => (await loadSecrets()).listCheckSecrets(context, self.opts())),
    );
  monitors
    .command('set-secret')
    .description('set the value of a header for checks, or replace it; prompts for it or reads it from stdin')
    .argument('<name>', 'lower-case letters, digits and dashes')
    .requiredOption(
      '--host <host>',
      'where checks send it, such as api.example.com or api.example.com:8443; may be repeated',
      collect,
    )
    .option(...OWN_ORG)
    .action((name, _options, self) =>
      perform(self, async (context) => (await loadSecrets()).setCheckSecret(context, name, self.opts())),
    );
  monitors
    .command('remove-secret')
    .description('remove a secret that no check sends')
    .argument('<name>')
    .option('--yes', 'remove without confirmation')
    .option(...OWN_ORG)
    .action((name, _options, self) =>
      perform(self, async (context) => (await loadSecrets()).removeCheckSecret(context, name, self.opts())),
    );
}

function addFiles(monitors: Command, perform: Perform): void {
  monitors
    .command('import')
    .description('add the monitors of a file: an export of ours, a configuration of Gatus, or a backup of Uptime Kuma')
    .argument('<file>')
    .option('--org <slug>', 'whose they are (default: your org, or that of the platform)')
    .action((file, _options, self) =>
      perform(self, async (context) => (await loadFiles()).importMonitors(context, file, self.opts())),
    );
  monitors
    .command('export')
    .description('print the monitors that were added by hand, or write them to a file')
    .argument('[file]')
    .option(...ORG)
    .action((file, _options, self) =>
      perform(self, async (context) => (await loadFiles()).exportMonitors(context, file, self.opts())),
    );
}
