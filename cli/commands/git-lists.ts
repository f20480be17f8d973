import { pathOf } from '../api-client.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { type ConnectionReply, connectionReply, type DeliveryReply, deliveryReply } from '../git-replies.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printable, type Tone } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';
import { findConnection } from './git-connections.ts';

/** `fairlead git list`. */
export async function listConnections({ output, api, now }: CliContext, { limit }: { readonly limit: number }) {
  const page = await readPages(api, connectionReply, { path: pathOf('git', 'connections'), query: {}, limit });
  output.document(page);
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else if (page.items.length === 0)
    output.print(
      'No repository is connected. Connect that of this folder: `fairlead git connect --provider github`, or with gitea, forgejo or gitlab',
    );
  else {
    output.table(
      [
        { title: 'CONNECTION' },
        { title: 'STATE' },
        { title: 'REPOSITORY', shrinks: true },
        { title: 'DEPLOYS', shrinks: true },
        { title: 'LAST DELIVERY' },
      ],
      page.items.map((connection) => [
        { text: connection.id, tone: 'bold' },
        stateOf(connection),
        { text: connection.repository },
        { text: connection.services.map(({ service }) => service).join(', ') },
        { text: lastDelivery(connection, now()), tone: 'dim' },
      ]),
    );
  }
  for (const connection of page.items) {
    const { id, tokenProblem, proof } = connection;
    for (const note of deliveryNotes(connection, now())) output.note(`${id}: ${note}`);
    if (tokenProblem != null) output.note(`${id}: statuses are not set: ${printable(tokenProblem.message)}`);
    if (proof === 'token') output.note(`${id}: deliveries prove themselves by a plain token, which is weaker.`);
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

function lastDelivery({ lastDeliveryAt, verifiedAt }: ConnectionReply, now: Date): string {
  const at = lastDeliveryAt ?? verifiedAt;
  return at == null ? 'never' : formatAge(at, now);
}

/** What a person would want to know of deliveries that do not come, or prove nothing. */
function deliveryNotes(connection: ConnectionReply, now: Date): readonly string[] {
  const { id, silentDays, refusedDeliveries, lastRefusedAt, provider } = connection;
  const count = refusedDeliveries ?? 0;
  const times = count === 1 ? 'a delivery was' : `${count} deliveries were`;
  const last = lastRefusedAt == null ? '' : `, the last ${formatAge(lastRefusedAt, now)}`;
  return [
    ...(silentDays == null
      ? []
      : [
          `no delivery in ${silentDays} days although the hook is registered; ${provider} lists its own at the webhook`,
        ]),
    ...(count === 0
      ? []
      : [
          `${times} refused since the last genuine one${last}: nothing proved where they came from. Is the secret another one at ${provider}? \`fairlead git rotate ${id}\``,
        ]),
  ];
}

function stateOf({ paused, pollMinutes, verifiedAt, silentDays, refusedDeliveries }: ConnectionReply): {
  readonly text: string;
  readonly tone?: Tone;
} {
  if (paused) return { text: 'paused', tone: 'warn' };
  if (pollMinutes != null) return { text: `polls every ${pollMinutes}m` };
  if (silentDays != null) return { text: 'silent', tone: 'warn' };
  if (verifiedAt == null && (refusedDeliveries ?? 0) > 0) return { text: 'refuses', tone: 'bad' };
  return verifiedAt == null ? { text: 'no delivery yet', tone: 'warn' } : { text: 'delivers', tone: 'good' };
}

const BAD: ReadonlySet<string> = new Set(['source_refused', 'source_unreachable', 'build_refused']);

/** `fairlead git deliveries [connection]`. */
export async function listDeliveries(
  context: CliContext,
  given: string | undefined,
  { limit }: { readonly limit: number },
): Promise<number> {
  const { output, api, now } = context;
  const { id } = await findConnection(context, given);
  const path = pathOf('git', 'connections', id, 'deliveries');
  const page = await readPages(api, deliveryReply, { path, query: {}, limit });
  output.document(page);
  if (output.quiet) for (const delivery of page.items) output.print(delivery.id);
  else if (page.items.length === 0) output.print('Nothing was delivered in the last thirty days.');
  else {
    output.table(
      [
        { title: 'WHEN' },
        { title: 'EVENT' },
        { title: 'REF', shrinks: true },
        { title: 'BY' },
        { title: 'RESULT' },
        { title: 'BUILD' },
        { title: 'WHY', shrinks: true },
      ],
      page.items.flatMap((delivery) => deliveryRows(delivery, now())),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

function deliveryRows(delivery: DeliveryReply, now: Date) {
  const { receivedAt, event, ref, login, alreadySeen, outcomes } = delivery;
  const seen = alreadySeen ? ' (seen before)' : '';
  const lead = [
    { text: formatAge(receivedAt, now), tone: 'dim' as Tone },
    { text: event + seen },
    { text: shortRef(ref) },
    { text: login ?? '' },
  ];
  if (outcomes.length === 0) return [[...lead, { text: 'waiting', tone: 'warn' as Tone }, { text: '' }, { text: '' }]];
  return outcomes.map((outcome, index) => [
    ...(index === 0 ? lead : lead.map(() => ({ text: '' }))),
    {
      text: outcome.reason,
      ...(outcome.reason === 'ping' && { tone: 'good' as Tone }),
      ...(BAD.has(outcome.reason) && { tone: 'bad' as Tone }),
    },
    buildOf(outcome),
    { text: whyOf(outcome) },
  ]);
}

type OutcomeReply = DeliveryReply['outcomes'][number];

/** Where the build is that was asked for; it may have been cancelled or replaced. */
function buildOf({ build }: OutcomeReply): { readonly text: string; readonly tone?: Tone } {
  if (build == null) return { text: '' };
  const { status, reason } = build;
  if (status === 'completed') return { text: status, tone: 'good' };
  if (status !== 'failed') return { text: status };
  return reason == null || reason === 'step_failed' ? { text: status, tone: 'bad' } : { text: reason, tone: 'warn' };
}

function whyOf(outcome: OutcomeReply): string {
  const { service, environment, buildId, commit, message, explanation } = outcome;
  const where = service == null ? '' : `${service} in ${environment ?? ''}: `;
  const what = buildId ?? message ?? explanation;
  return `${where}${what}${commit == null ? '' : ` (${commit.slice(0, 7)})`}`;
}

function shortRef(ref: string | null | undefined): string {
  return (ref ?? '').replace(/^refs\/(heads|tags)\//, '');
}
