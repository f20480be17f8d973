import { pathOf } from '../api-client.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToMonitor } from '../monitor-api.ts';
import { acceptedReply, incidentReply } from '../monitor-replies.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printFields } from '../terminal/fields.ts';
import { printable } from '../terminal/style.ts';
import { elapsedMs, formatDuration, formatMoment } from '../terminal/times.ts';

const INCIDENTS = pathOf('api', 'incidents');

export interface ListOptions {
  readonly limit: number;
  readonly org?: string;
  readonly open?: boolean;
}

/** `fairlead incidents`. */
export async function listIncidents(context: CliContext, { limit, org, open }: ListOptions): Promise<number> {
  const { output, now } = context;
  const query = { org, open: open === true ? 'true' : undefined };
  const page = await readPages(connectToMonitor(context), incidentReply, { path: INCIDENTS, query, limit });
  output.document(page);
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else if (page.items.length === 0) output.print(open === true ? 'No incident is open.' : 'There was no incident.');
  else {
    output.table(
      [{ title: 'INCIDENT', shrinks: true }, { title: 'STATE' }, { title: 'BEGAN' }, { title: 'FOR' }, { title: 'ID' }],
      page.items.map(({ id, title, state, startedAt, resolvedAt }) => [
        { text: title, tone: 'bold' },
        { text: state, ...(state === 'open' ? { tone: 'bad' as const } : {}) },
        { text: formatMoment(startedAt) },
        { text: formatDuration(elapsedMs(startedAt, resolvedAt, now()) ?? 0), tone: 'dim' },
        { text: id, tone: 'dim' },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead incidents show <incident>`. */
export async function showIncident(context: CliContext, id: string): Promise<number> {
  const { output } = context;
  const path = pathOf('api', 'incidents', id);
  const incident = await connectToMonitor(context).call(incidentReply, { method: 'GET', path });
  output.document(incident);
  const { title, state, startedAt, resolvedAt, cause, escalation, updates } = incident;
  if (output.quiet) output.print(state);
  else {
    printFields(output, [
      ['Incident', output.paint('bold', title)],
      ['State', state],
      ['Began', formatMoment(startedAt)],
      ['Resolved', resolvedAt == null ? 'no' : formatMoment(resolvedAt)],
      ['Seen', cause ?? 'nothing that was noted'],
    ]);
    for (const { step, at, channelIds } of escalation?.told ?? []) {
      const told = channelIds.length === 0 ? 'nobody: the org has no channel' : channelIds.join(', ');
      output.print(printable(`${formatMoment(at)} step ${step + 1} told: ${told}`));
    }
    if (escalation?.nextAt != null)
      output.print(`${formatMoment(escalation.nextAt)} the next step, unless acknowledged`);
    output.print('');
    for (const { at, status, body, by } of updates) {
      output.print(printable(`${formatMoment(at)} ${status}: ${body}${by == null ? '' : ` (${by})`}`));
    }
  }
  return exitCode('ok');
}

/** What is done to an incident: the end of its path, the body, and what is said then. */
export interface Act {
  readonly end: 'acknowledge' | 'updates' | 'resolve';
  readonly body: Readonly<Record<string, unknown>>;
  readonly done: string;
}

/** `fairlead incidents acknowledge`, `update` and `resolve`. */
export async function actOnIncident(context: CliContext, id: string, { end, body, done }: Act): Promise<number> {
  const { output } = context;
  const path = pathOf('api', 'incidents', id, end);
  output.document(await connectToMonitor(context).call(acceptedReply, { method: 'POST', path, body }));
  if (!output.quiet) output.print(`${done} ${id}`);
  return exitCode('ok');
}

/** `fairlead incidents open <title> <text>`. */
export async function openIncident(
  context: CliContext,
  { title, text, hidden, org }: { title: string; text: string; hidden?: boolean; org?: string },
): Promise<number> {
  const { output } = context;
  const body = { title, body: text, isPublic: hidden !== true, org };
  const made = await connectToMonitor(context).call(acceptedReply, { method: 'POST', path: INCIDENTS, body });
  output.document(made);
  output.print(
    output.quiet ? made.id : `Opened ${made.id}. When it is over: \`fairlead incidents resolve ${made.id}\``,
  );
  return exitCode('ok');
}
