import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import { eventViewSchema } from '../../domain/audit-ledger/event-view-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { pollRegions } from '../live/poll.ts';
import { badge } from '../look/badge.ts';
import { card, linkButton, liveRegion } from '../look/components.ts';
import { type Action, type ActionContext, defineAction, definePage, type PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';
import { type EventView, eventPath, READERS } from './ledger-page.ts';

const verdictSchema = z.object({
  valid: z.boolean(),
  brokenAt: z.object({ namespace: z.string(), chainIndex: z.int() }).nullable(),
  reason: z.string().nullable(),
  count: z.int(),
});
const runSchema = z.object({
  verificationId: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  verdict: verdictSchema.nullable(),
});
const replySchema = z.union([runSchema, verdictSchema]);

type Verdict = z.output<typeof verdictSchema>;
type Run = z.output<typeof runSchema>;

const params = z.strictObject({ id: z.string().max(100) });

/** A form that has the ledger verify what an event is part of. A long chain is verified in the background. */
function verifyAction(rest: string, summary: string, pathFor: (event: EventView) => string): Action {
  return defineAction({
    module: 'audit-ledger',
    path: `/ledger/events/:id/${rest}`,
    summary,
    callers: READERS,
    params,
    back: ({ id }) => eventPath(id),
    run: async ({ platform, params: { id } }: ActionContext<z.output<typeof params>>) => {
      const event = await platform.get('audit-ledger', pathOf('v1', 'events', id), eventViewSchema);
      const expected = { expectedHead: event.eventHash };
      const reply = await platform.get('audit-ledger', pathFor(event), replySchema, expected);
      if ('verificationId' in reply) return { to: runPath(reply.verificationId) };
      if (!reply.valid) throw new FairleadError('CONFLICT', sentence(reply));
      return { to: eventPath(id), notice: sentence(reply) };
    },
  });
}

function sentence({ valid, brokenAt, reason, count }: Verdict): string {
  if (valid) return `Valid: ${count} ${count === 1 ? 'event' : 'events'}, and this one is among them.`;
  const place = brokenAt === null ? '' : ` at ${brokenAt.namespace} #${brokenAt.chainIndex}`;
  return `Not valid: the chain is broken${place}${reason === null ? '' : ` (${reason})`}.`;
}

export const verifyActions: readonly Action[] = [
  verifyAction('verify-chain', 'Has the ledger verify the chain that an event stands in', ({ namespace }) =>
    pathOf('v1', 'namespaces', namespace, 'verify'),
  ),
  verifyAction('verify-entity', 'Has the ledger verify the history of the entity of an event', ({ entityId }) =>
    pathOf('v1', 'entities', entityId, 'verify'),
  ),
];

function runPath(id: string): string {
  return pathOf('ledger', 'verifications', id);
}

const readRun = ({ platform }: Pick<PageContext, 'platform'>, id: string): Promise<Run> =>
  platform.get('audit-ledger', pathOf('v1', 'verifications', id), runSchema);

export const verificationPage = definePage({
  module: 'audit-ledger',
  path: '/ledger/verifications/:id',
  summary: 'A verification of a long chain, in the background',
  callers: READERS,
  params,
  load: (context) => readRun(context, context.params.id),
  view: (run, { url }) => ({
    title: 'Verification',
    crumbs: [['Audit ledger', '/ledger']],
    body: card(
      { title: 'Result' },
      html`${liveRegion('run', runView(run), 'polite')}
<div class="buttons">${run.status === 'running' && linkButton(url, 'Look again')}${linkButton('/ledger', 'Back to the events')}</div>`,
    ),
  }),
  live: (context) =>
    pollRegions(context, 2_000, async () => ({ run: runView(await readRun(context, context.params.id)) })),
});

function runView({ status, verdict }: Run) {
  if (status === 'running') return html`<p>${badge('busy', 'Under way')} The ledger reads from the first event on.</p>`;
  if (verdict === null) return html`<p>${badge('warn', 'Stopped')} It did not come to an end: start it again.</p>`;
  return html`<p>${verdict.valid ? badge('good', 'Valid') : badge('bad', 'Broken')} ${sentence(verdict)}</p>`;
}
