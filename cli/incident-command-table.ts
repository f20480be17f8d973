import { Argument, type Command, Option } from 'commander';
import { CHAT_SERVICES } from '../domain/notifications/chat-services.ts';
import { MOST_REPEATS, MOST_WAIT_MINUTES, OUTAGE_SEVERITIES } from '../domain/notifications/escalation.ts';
import { DELIVERY_STATES } from '../domain/notifications/notification.ts';
import { PASSING } from '../domain/notifications/quiet-hours.ts';
import { duration, wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const load = () => import('./commands/incidents.ts');
const loadEscalation = () => import('./commands/escalation.ts');
const loadAlerts = () => import('./commands/alerts.ts');
const loadDeliveries = () => import('./commands/deliveries.ts');
const loadSubscribers = () => import('./commands/subscribers.ts');

const INCIDENT = '<incident>';
const ORG = ['--org <slug>', 'of this org (default: yours; all with the key of the platform)'] as const;
const TOLD_ORG = ['--org <slug>', 'of this org (default: yours; the operators with the key of the platform)'] as const;
const STEPS = ['investigating', 'identified', 'monitoring'];

/** Declares `fairlead incidents …`, `fairlead alerts …` and `fairlead subscribers …`. */
export function addIncidentCommands(program: Command, perform: Perform): void {
  const incidents = program.command('incidents').description('outages, and what people say of them');
  addReading(incidents, perform);
  addActs(incidents, perform);
  const alerts = program.command('alerts').description('where an org is told of outages');
  addAlerts(alerts, perform);
  addEscalation(alerts, perform);
  addSubscribers(program.command('subscribers').description('who reads the status page by mail'), perform);
}

function addReading(incidents: Command, perform: Perform): void {
  incidents
    .command('list', { isDefault: true })
    .description('list incidents, newest first')
    .option(...ORG)
    .option('--open', 'those alone that are not resolved')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 50)
    .action((_options, self) => perform(self, async (context) => (await load()).listIncidents(context, self.opts())));
  incidents
    .command('show')
    .description('show an incident, with what was said of it')
    .argument(INCIDENT)
    .action((id, _options, self) => perform(self, async (context) => (await load()).showIncident(context, id)));
}

function addActs(incidents: Command, perform: Perform): void {
  incidents
    .command('open')
    .description('write an incident that no check has found')
    .argument('<title>')
    .argument('<text>', 'what is known')
    .option('--hidden', 'do not show it on the status page')
    .option('--org <slug>', 'whose it is (default: your org, or that of the platform)')
    .action((title, text, _options, self) =>
      perform(self, async (context) => (await load()).openIncident(context, { title, text, ...self.opts() })),
    );
  incidents
    .command('acknowledge')
    .description('say that somebody is at it')
    .argument(INCIDENT)
    .action((id, _options, self) =>
      perform(self, async (context) =>
        (await load()).actOnIncident(context, id, { end: 'acknowledge', body: {}, done: 'Acknowledged' }),
      ),
    );
  incidents
    .command('update')
    .description('say how it stands; of a public incident the status page shows it')
    .argument(INCIDENT)
    .argument('<text>')
    .addOption(new Option('--status <step>', 'how far it is').choices(STEPS).default('identified'))
    .action((id, body, { status }, self) =>
      perform(self, async (context) => {
        return (await load()).actOnIncident(context, id, { end: 'updates', body: { status, body }, done: 'Updated' });
      }),
    );
  incidents
    .command('resolve')
    .description('end an incident')
    .argument(INCIDENT)
    .option('--note <text>', 'what it was')
    .action((id, { note = null }, self) =>
      perform(self, async (context) => {
        return (await load()).actOnIncident(context, id, { end: 'resolve', body: { note }, done: 'Resolved' });
      }),
    );
}

function addAlerts(alerts: Command, perform: Perform): void {
  alerts
    .command('list', { isDefault: true })
    .description('list where the org is told')
    .option(...TOLD_ORG)
    .action((_options, self) =>
      perform(self, async (context) => (await loadAlerts()).listChannels(context, self.opts())),
    );
  alerts
    .command('add')
    .description('tell outages to a mail address, or to a webhook')
    .argument('<address>', 'a mail address, or https://…')
    .option(...TOLD_ORG)
    .action((address, _options, self) =>
      perform(self, async (context) => (await loadAlerts()).addChannel(context, address, self.opts())),
    );
  alerts
    .command('add-chat')
    .description('tell outages in a chat, or by a pager; prompts for its secrets or reads them from stdin')
    .addArgument(new Argument('<service>').choices(CHAT_SERVICES))
    .option('--room <id>', 'of Telegram, the chat')
    .option('--token', 'of ntfy, an access token besides the address')
    .option('--address <address>', 'of Telegram and PagerDuty, where it is another one')
    .option(...TOLD_ORG)
    .action((service, _options, self) =>
      perform(self, async (context) => (await loadAlerts()).addChat(context, service, self.opts())),
    );
  alerts
    .command('remove')
    .description('tell a channel nothing more')
    .argument('<channel>', 'its id')
    .action((id, _options, self) => perform(self, async (context) => (await loadAlerts()).removeChannel(context, id)));
  alerts
    .command('quiet')
    .description(
      'set quiet hours of a channel: what is not urgent waits for their end, and is told there as one message',
    )
    .argument('<channel>', 'its id')
    .argument('<hours>', 'such as 22:00-07:00')
    .option('--zone <zone>', 'by the clocks of this time zone, such as Europe/Berlin', 'UTC')
    .option('--days <days>', 'that begin on these days, such as sat,sun (default: each day)')
    .addOption(new Option('--passes <severity>', 'what is told at once').choices(PASSING).default('critical'))
    .action((id, hours, _options, self) =>
      perform(self, async (context) => (await loadAlerts()).setQuiet(context, id, { hours, ...self.opts() })),
    );
  alerts
    .command('end-quiet')
    .description('tell a channel everything at once again')
    .argument('<channel>', 'its id')
    .action((id, _options, self) => perform(self, async (context) => (await loadAlerts()).endQuiet(context, id)));
  alerts
    .command('test')
    .description('send a test to every channel')
    .option(...TOLD_ORG)
    .action((_options, self) =>
      perform(self, async (context) => (await loadAlerts()).testAlerts(context, self.opts())),
    );
  addDeliveries(alerts, perform);
}

function addDeliveries(alerts: Command, perform: Perform): void {
  alerts
    .command('deliveries')
    .description('list notices to channels and to subscribers by what became of them, newest first')
    .addOption(new Option('--state <state>', 'dead: given up').choices(DELIVERY_STATES).default('dead'))
    .option(...TOLD_ORG)
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 50)
    .action((_options, self) =>
      perform(self, async (context) => (await loadDeliveries()).listDeliveries(context, self.opts())),
    );
  alerts
    .command('replay')
    .description('try a notice once more that was given up')
    .argument('<delivery>', 'its id')
    .action((id, _options, self) =>
      perform(self, async (context) => (await loadDeliveries()).replayDelivery(context, id)),
    );
}

function addEscalation(alerts: Command, perform: Perform): void {
  const severity = () => new Argument('<severity>', 'critical: of prod').choices(OUTAGE_SEVERITIES);
  alerts
    .command('escalation')
    .description('show who is told of an outage, step by step, while nobody acknowledges it')
    .option(...TOLD_ORG)
    .action((_options, self) =>
      perform(self, async (context) => (await loadEscalation()).showEscalation(context, self.opts())),
    );
  alerts
    .command('escalate')
    .description('set who is told at once, and who later while nobody acknowledges it')
    .addArgument(severity())
    .argument('<steps...>', 'channels such as chn_1,chn_2 and, for each later step, 10m:chn_3')
    .option('--repeat <times>', 'tell all steps so often once more', wholeNumber(1, MOST_REPEATS))
    .option('--repeat-after <time>', 'so long after the last step, such as 30m', duration(60, MOST_WAIT_MINUTES * 60))
    .option(...TOLD_ORG)
    .action((of, steps, _options, self) =>
      perform(self, async (context) => (await loadEscalation()).setEscalation(context, of, steps, self.opts())),
    );
  alerts
    .command('end-escalation')
    .description('tell every channel of the next outages at once')
    .addArgument(severity())
    .option(...TOLD_ORG)
    .action((of, _options, self) =>
      perform(self, async (context) => (await loadEscalation()).endEscalation(context, of, self.opts())),
    );
}

function addSubscribers(subscribers: Command, perform: Perform): void {
  const org = ['--org <slug>', 'of the page of this org (default: yours)'] as const;
  subscribers
    .command('list', { isDefault: true })
    .description('list who gets updates of the status page, and how many do')
    .option(...org)
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 50)
    .action((_options, self) =>
      perform(self, async (context) => (await loadSubscribers()).listSubscribers(context, self.opts())),
    );
  subscribers
    .command('export')
    .description('print all of them as CSV')
    .option(...org)
    .action((_options, self) =>
      perform(self, async (context) => (await loadSubscribers()).exportSubscribers(context, self.opts())),
    );
  subscribers
    .command('remove')
    .description('forget a subscriber, or all of them')
    .argument('[subscriber]', 'its id')
    .option('--all', 'all of the page')
    .option('--yes', 'do not ask')
    .option(...org)
    .action((id, _options, self) =>
      perform(self, async (context) => (await loadSubscribers()).removeSubscribers(context, id, self.opts())),
    );
}
