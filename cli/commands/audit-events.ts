import { pathOf } from '../api-client.ts';
import { type AuditEventReply, auditEventPage, auditEventReply } from '../audit-replies.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToLedger } from '../ledger-api.ts';
import { printFields } from '../terminal/fields.ts';
import { printable } from '../terminal/style.ts';
import { formatMoment } from '../terminal/times.ts';
import { writeDocument } from '../write-document.ts';

/** Filters as the ledger names them. */
export interface EventFilters {
  readonly namespace?: string;
  readonly entity?: string;
  readonly type?: string;
  /** ISO moments. */
  readonly from?: string;
  readonly to?: string;
}

/** `fairlead audit events`: what the ledger recorded, newest first, a page at a time. */
export async function auditEvents(
  context: CliContext,
  options: EventFilters & { readonly limit: number; readonly cursor?: string },
): Promise<number> {
  const { output } = context;
  const { namespace, entity: entityId, type: eventType, from, to, limit, cursor } = options;
  const page = await connectToLedger(context).call(auditEventPage, {
    method: 'GET',
    path: pathOf('v1', 'events'),
    query: { namespace, entityId, eventType, from, to, limit, cursor },
  });
  output.document(page);
  const { events, nextCursor = null } = page;
  if (output.quiet) for (const { id } of events) output.print(id);
  else if (events.length === 0) output.print(cursor === undefined ? 'No such events.' : 'No more events.');
  else output.table(COLUMNS, events.map(row));
  if (nextCursor !== null) output.note(`More events: repeat the command with --cursor ${nextCursor}`);
  return exitCode('ok');
}

const COLUMNS = [
  { title: 'TIME' },
  { title: 'TYPE' },
  { title: 'NAMESPACE' },
  { title: 'ENTITY', shrinks: true },
  { title: 'ORG' },
  { title: 'ACTOR', shrinks: true },
  { title: 'EVENT' },
];

function row(event: AuditEventReply) {
  return [
    { text: formatMoment(event.createdAt) },
    { text: event.eventType, tone: 'bold' },
    { text: event.namespace },
    { text: event.entityId },
    { text: event.orgSlug },
    { text: actorOf(event) },
    { text: event.id, tone: 'dim' },
  ] as const;
}

/** Who did it, as the emitter says; else the emitter. */
function actorOf({ metadata, emitter }: AuditEventReply): string {
  return typeof metadata.actor === 'string' ? metadata.actor : emitter;
}

/** `fairlead audit event <id>`: show an event with its content. */
export async function auditEvent(
  context: CliContext,
  id: string,
  options: { readonly output?: string },
): Promise<number> {
  const { output } = context;
  const event = await connectToLedger(context).call(auditEventReply, {
    method: 'GET',
    path: pathOf('v1', 'events', id),
  });
  output.document(event);
  if (options.output !== undefined) await writeDocument(options.output, context.cwd, event);
  if (output.quiet) output.print(options.output ?? event.id);
  else if (options.output !== undefined) output.print(`Wrote ${options.output}`);
  else show(context, event);
  return exitCode('ok');
}

function show({ output }: CliContext, event: AuditEventReply): void {
  printFields(output, [
    ['Event', event.id],
    ['Type', event.eventType],
    ['Entity', event.entityId],
    ['Time', event.createdAt],
    ['Org', event.orgSlug],
    ['Emitter', event.emitter],
    ['Chain', `${event.namespace} #${event.chainIndex}`],
    ['Hash', event.eventHash],
  ]);
  for (const [title, value] of [
    ['Data', event.data],
    ['Metadata', event.metadata],
  ] as const) {
    if (Object.keys(value).length === 0) continue;
    output.print(output.paint('dim', title));
    for (const line of JSON.stringify(value, null, 2).split('\n')) output.print(`  ${printable(line)}`);
  }
}
