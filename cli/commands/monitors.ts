import { cutPercent } from '../../domain/monitors/cut-percent.ts';
import { type ApiClient, pathOf } from '../api-client.ts';
import { CliFailure, usageFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToMonitor } from '../monitor-api.ts';
import {
  createdMonitorReply,
  type MonitorDetailReply,
  type MonitorReply,
  monitorDetailReply,
  monitorReply,
  rotatedMonitorReply,
} from '../monitor-replies.ts';
import { checkOfTarget } from '../monitor-target.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { type HeaderOptions, headersText } from '../request-headers.ts';
import { printFields } from '../terminal/fields.ts';
import { printable } from '../terminal/style.ts';
import type { Cell } from '../terminal/table.ts';
import { formatAge, formatDuration, formatMoment } from '../terminal/times.ts';

export const MONITORS = pathOf('api', 'monitors');

export interface ListOptions {
  readonly limit: number;
  readonly org?: string;
  readonly state?: string;
  readonly find?: string;
  /** False where `-e` names one. */
  readonly allEnvironments: boolean;
}

/** `fairlead monitors`. */
export async function listMonitors(context: CliContext, options: ListOptions): Promise<number> {
  const { output, now } = context;
  const { limit, org, state, find } = options;
  const environment = options.allEnvironments ? undefined : context.environment;
  const query = { org, state, environment, q: find };
  const page = await readPages(connectToMonitor(context), monitorReply, { path: MONITORS, query, limit });
  output.document(page);
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else if (page.items.length === 0) output.print('No monitor was found. A deploy registers its service.');
  else
    output.table(
      COLUMNS,
      page.items.map((monitor) => row(monitor, now())),
    );
  noteMore(output, page, limit);
  return exitCode('ok');
}

const COLUMNS = [
  { title: 'MONITOR' },
  { title: 'ENV' },
  { title: 'STATE' },
  { title: 'SINCE' },
  { title: 'TARGET', shrinks: true },
  { title: 'ID' },
];

function row({ id, name, environment, state, since, flapping, target }: MonitorReply, now: Date): readonly Cell[] {
  return [
    { text: name, tone: 'bold' },
    { text: environment },
    { text: flapping ? `${state}, flapping` : state, ...(state === 'down' ? { tone: 'bad' as const } : {}) },
    { text: formatAge(since, now), tone: 'dim' },
    { text: target },
    { text: id, tone: 'dim' },
  ];
}

/** `fairlead monitors show <monitor>`. */
export async function showMonitor(context: CliContext, given: string): Promise<number> {
  const { output } = context;
  const api = connectToMonitor(context);
  const { id } = await findMonitor(context, api, given);
  const monitor = await api.call(monitorDetailReply, { method: 'GET', path: pathOf('api', 'monitors', id) });
  output.document(monitor);
  if (output.quiet) output.print(monitor.state);
  else {
    const { lastCheck } = monitor;
    printFields(output, [
      ['Monitor', output.paint('bold', monitor.name)],
      ['State', `${monitor.state} since ${formatMoment(monitor.since)}${monitor.flapping ? ', flapping' : ''}`],
      ['Target', monitor.target],
      ...sentFields(monitor),
      ['Checked', `every ${intervalText(monitor)}`],
      [
        'Last',
        lastCheck == null ? 'not yet' : `${formatMoment(lastCheck.at)}: ${lastCheck.message ?? lastCheck.outcome}`,
      ],
      ...objectiveFields(monitor),
      ...monitor.recurringMaintenance.map((each) => ['Maintenance', recurringText(each)] as const),
      ['Id', monitor.id],
    ]);
    output.print('');
    output.table(
      [{ title: 'DAYS' }, { title: 'UPTIME' }, { title: 'DOWN' }, { title: 'KNOWN' }],
      monitor.uptime.map(({ days, uptime, coverage, downMs }) => [
        { text: String(days) },
        { text: uptimeText(uptime), tone: 'bold' as const },
        { text: downMs === 0 ? '' : formatDuration(downMs) },
        { text: `${Math.floor(coverage * 100)} %`, tone: 'dim' as const },
      ]),
    );
  }
  return exitCode('ok');
}

function sentFields({ check }: MonitorReply): readonly (readonly [string, string])[] {
  const sent = headersText(check);
  return sent === null ? [] : [['Sends', sent]];
}

/** A share of time. */
export function uptimeText(uptime: number | null | undefined): string {
  return uptime == null ? 'no data' : `${cutPercent(uptime, 2)} %`;
}

function objectiveFields({ objective, budget }: MonitorDetailReply): readonly (readonly [string, string])[] {
  if (objective == null || budget == null) return [];
  const { allowedMs, usedMs, burning } = budget;
  const left = allowedMs - usedMs;
  const leftText = left >= 0 ? `${formatDuration(left)} left` : `missed by ${formatDuration(-left)}`;
  const since = burning.map((each) => each.since).toSorted()[0];
  return [
    ['Objective', `${objectiveText(objective)}: ${formatDuration(allowedMs)} down allowed, ${leftText}`],
    ...(since === undefined ? [] : [['Burning', `too fast since ${formatMoment(since)}`] as const]),
  ];
}

function objectiveText({ targetPercent, windowDays }: NonNullable<MonitorReply['objective']>): string {
  return `${targetPercent} % over ${windowDays} days`;
}

export interface ObjectiveOptions {
  readonly targetPercent: number | undefined;
  readonly windowDays: number;
  readonly none?: boolean;
}

/** `fairlead monitors objective <monitor> [percent]`. */
export async function setObjective(context: CliContext, given: string, options: ObjectiveOptions): Promise<number> {
  const { targetPercent, windowDays, none = false } = options;
  if ((targetPercent === undefined) !== none) throw usageFailure('give a percentage such as 99.9, or --none');
  const { output } = context;
  const api = connectToMonitor(context);
  const { id } = await findMonitor(context, api, given);
  const body = { objective: none ? null : { targetPercent, windowDays } };
  const monitor = await api.call(monitorReply, { method: 'PATCH', path: pathOf('api', 'monitors', id), body });
  output.document(monitor);
  if (output.quiet) output.print(monitor.id);
  else if (monitor.objective == null) output.print(`${monitor.name} has no objective`);
  else output.print(`${monitor.name} has to be up ${objectiveText(monitor.objective)}`);
  return exitCode('ok');
}

export interface AddOptions extends HeaderOptions {
  readonly interval?: number;
  readonly expectStatus?: number;
  readonly expectBody?: string;
  readonly latency?: number;
  readonly grace?: number;
  readonly public?: boolean;
  readonly org?: string;
}

/** `fairlead monitors add <name> <target>`. */
export async function addMonitor(
  context: CliContext,
  name: string,
  target: string,
  options: AddOptions,
): Promise<number> {
  const { output, environment } = context;
  const { interval: intervalSeconds, public: isPublic, org } = options;
  const body = { name, environment, check: checkOfTarget(target, options), intervalSeconds, isPublic, org };
  const made = await connectToMonitor(context).call(createdMonitorReply, { method: 'POST', path: MONITORS, body });
  output.document(made);
  const url = made.heartbeatUrl ?? null;
  if (output.quiet) output.print(url ?? made.id);
  else {
    output.print(`Added ${made.name}: ${printable(made.target)} is checked every ${made.intervalSeconds} s`);
    if (url !== null) output.print(`The job calls this when it is done: ${printable(url)}`);
  }
  if (url !== null)
    output.note('The address is shown this once. /start and /fail behind it say that the job began, or failed.');
  return exitCode('ok');
}

/** `fairlead monitors pause <monitor>` and `resume`. */
export async function pauseMonitor(context: CliContext, given: string, paused: boolean): Promise<number> {
  const { output } = context;
  const api = connectToMonitor(context);
  const { id, name } = await findMonitor(context, api, given);
  const path = pathOf('api', 'monitors', id);
  const monitor = await api.call(monitorReply, { method: 'PATCH', path, body: { paused } });
  output.document(monitor);
  if (!output.quiet) output.print(paused ? `Paused ${name}: nothing is checked` : `Resumed ${name}`);
  return exitCode('ok');
}

/** `fairlead monitors interval <monitor> <time>`, or with `--reset`. */
export async function changeInterval(
  context: CliContext,
  given: string,
  { seconds, reset = false }: { readonly seconds?: number; readonly reset?: boolean },
): Promise<number> {
  if ((seconds === undefined) !== reset) {
    throw usageFailure('One of both is needed.', 'Name a time, such as 5m, or `--reset`');
  }
  const { output } = context;
  const api = connectToMonitor(context);
  const { id, name } = await findMonitor(context, api, given);
  const path = pathOf('api', 'monitors', id);
  const monitor = await api.call(monitorReply, { method: 'PATCH', path, body: { intervalSeconds: seconds ?? null } });
  output.document(monitor);
  if (!output.quiet) output.print(`${name} is checked every ${intervalText(monitor)}`);
  return exitCode('ok');
}

function intervalText({ intervalSeconds, deployedIntervalSeconds }: MonitorReply): string {
  const deployed = deployedIntervalSeconds ?? null;
  return deployed === null ? `${intervalSeconds} s` : `${intervalSeconds} s; deploys say ${deployed} s`;
}

/** `fairlead monitors maintenance <monitor> <time>`: from now on, for so many seconds. */
export async function maintainMonitor(
  context: CliContext,
  given: string,
  { seconds, note }: { readonly seconds: number; readonly note?: string },
): Promise<number> {
  const { output, now } = context;
  const api = connectToMonitor(context);
  const { id, name } = await findMonitor(context, api, given);
  const [from, to] = [now(), new Date(now().getTime() + seconds * 1_000)].map((time) => time.toISOString());
  const path = pathOf('api', 'monitors', id, 'maintenance');
  output.document(await api.call(monitorReply, { method: 'POST', path, body: { from, to, note } }));
  if (!output.quiet)
    output.print(`${name} may fail until ${formatMoment(to ?? '')} UTC: that is neither told nor counted`);
  return exitCode('ok');
}

/** `fairlead monitors end-maintenance <monitor>`. */
export async function endMaintenance(
  context: CliContext,
  given: string,
  { planned = false }: { readonly planned?: boolean },
): Promise<number> {
  const { output } = context;
  const api = connectToMonitor(context);
  const { id, name } = await findMonitor(context, api, given);
  const path = pathOf('api', 'monitors', id, 'maintenance');
  const query = planned ? { planned: 'true' } : {};
  output.document(await api.call(monitorReply, { method: 'DELETE', path, query }));
  if (!output.quiet) output.print(`The maintenance of ${name} is over: failures are told and counted`);
  return exitCode('ok');
}

/** `fairlead monitors rotate-token <monitor>`. */
export async function rotateToken(context: CliContext, given: string, overlapHours: number): Promise<number> {
  const { output } = context;
  const api = connectToMonitor(context);
  const { id, name } = await findMonitor(context, api, given);
  const path = pathOf('api', 'monitors', id, 'rotate-token');
  const rotated = await api.call(rotatedMonitorReply, { method: 'POST', path, body: { overlapHours } });
  output.document(rotated);
  if (output.quiet) output.print(rotated.heartbeatUrl);
  else output.print(`The job of ${name} calls this when it is done: ${printable(rotated.heartbeatUrl)}`);
  const until = rotated.formerTokenUntil ?? null;
  const before = until === null ? 'no more' : `until ${formatMoment(until)} UTC`;
  output.note(`The address is shown this once. The one before it counts ${before}.`);
  return exitCode('ok');
}

export interface RepeatOptions {
  readonly cron?: string;
  readonly weekly?: string;
  readonly monthly?: string;
  readonly at?: string;
  readonly zone: string;
  readonly note?: string;
}

/** `fairlead monitors repeat-maintenance <time> <monitors…>`: of so many seconds each, of all of these monitors. */
export async function repeatMaintenance(
  context: CliContext,
  seconds: number,
  given: readonly string[],
  options: RepeatOptions,
): Promise<number> {
  const { output } = context;
  const { zone: timeZone, note } = options;
  const body = { cron: cronOfOptions(options), timeZone, minutes: Math.ceil(seconds / 60), note };
  const api = connectToMonitor(context);
  const found: MonitorReply[] = [];
  for (const each of given) found.push(await findMonitor(context, api, each));
  const changed: MonitorReply[] = [];
  for (const { id, name } of found) {
    const path = pathOf('api', 'monitors', id, 'recurring-maintenance');
    const monitor = await api.call(monitorReply, { method: 'POST', path, body });
    changed.push(monitor);
    // A repeat of one that is there adds none.
    const added = monitor.recurringMaintenance.findLast((each) => isSame(each, body));
    if (added === undefined) continue;
    if (output.quiet) output.print(added.id);
    else output.print(`${name} may fail again and again: ${recurringText(added)}`);
  }
  output.document({ items: changed });
  return exitCode('ok');
}

function isSame(
  one: Pick<MonitorReply['recurringMaintenance'][number], 'cron' | 'timeZone' | 'minutes'>,
  other: Pick<MonitorReply['recurringMaintenance'][number], 'cron' | 'timeZone' | 'minutes'>,
): boolean {
  return one.cron === other.cron && one.timeZone === other.timeZone && one.minutes === other.minutes;
}

/** `fairlead monitors end-repeat <monitor> <maintenance>`. */
export async function endRepeat(context: CliContext, given: string, maintenance: string): Promise<number> {
  const { output } = context;
  const api = connectToMonitor(context);
  const { id, name } = await findMonitor(context, api, given);
  const path = pathOf('api', 'monitors', id, 'recurring-maintenance', maintenance);
  output.document(await api.call(monitorReply, { method: 'DELETE', path }));
  if (!output.quiet) output.print(`The maintenance of ${name} comes no more`);
  return exitCode('ok');
}

function recurringText({ id, cron, timeZone, minutes, next }: MonitorReply['recurringMaintenance'][number]): string {
  const when = next == null ? '' : `, next ${formatMoment(next)} UTC`;
  return `${cron} ${timeZone} for ${formatDuration(minutes * 60_000)}${when} (${id})`;
}

/** @throws CliFailure with exit `usage` */
function cronOfOptions({ cron, weekly, monthly, at }: RepeatOptions): string {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(at ?? '') ?? [];
  const isByDays = (weekly === undefined) !== (monthly === undefined) && hour !== undefined && cron === undefined;
  if (isByDays) return `${Number(minute)} ${Number(hour)} ${monthly ?? '*'} * ${weekly ?? '*'}`;
  if (cron !== undefined && weekly === undefined && monthly === undefined && at === undefined) return cron;
  throw usageFailure(
    'When it is has to be said.',
    'Name `--weekly sun --at 03:30`, `--monthly 1,15 --at 22:00`, or `--cron "30 3 * * sun"`.',
  );
}

/** `fairlead monitors remove <monitor>`. */
export async function removeMonitor(context: CliContext, given: string, options: { yes?: boolean }): Promise<number> {
  const { output } = context;
  const api = connectToMonitor(context);
  const { id, name, target } = await findMonitor(context, api, given);
  await confirm(context, options, {
    text: `${printable(target)} is checked no more, and ${name} leaves the status page.`,
    command: `monitors remove ${id}`,
    instead: `To check it again later: \`fairlead monitors pause ${id}\``,
  });
  output.document(await api.call(monitorReply, { method: 'DELETE', path: pathOf('api', 'monitors', id) }));
  if (!output.quiet) output.print(`Removed ${name}`);
  return exitCode('ok');
}

/**
 * The monitor that is meant: by its id, else the one of that name in the environment.
 * @throws CliFailure with exit `notFound`, and `usage` where several have the name
 */
export async function findMonitor(
  { environment }: Pick<CliContext, 'environment'>,
  api: ApiClient,
  given: string,
): Promise<MonitorReply> {
  if (given.startsWith('mon_'))
    return api.call(monitorReply, { method: 'GET', path: pathOf('api', 'monitors', given) });
  const query = { q: given, environment };
  const { items } = await readPages(api, monitorReply, { path: MONITORS, query, limit: MOST_OF_A_NAME });
  const [first, ...others] = items.filter(({ name }) => name === given);
  if (first !== undefined && others.length === 0) return first;
  if (first === undefined) {
    throw new CliFailure('MONITOR_NOT_FOUND', `There is no monitor ${given} in ${environment}.`, {
      exit: 'notFound',
      remedy: 'List them: `fairlead monitors`.',
    });
  }
  throw new CliFailure('USAGE', `Several monitors are called ${given}.`, {
    exit: 'usage',
    remedy: `Name one by its id: ${[first, ...others].map(({ id, target }) => `${id} (${printable(target)})`).join(', ')}`,
  });
}

const MOST_OF_A_NAME = 200;
