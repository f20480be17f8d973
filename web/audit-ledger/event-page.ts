import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { eventProofSchema } from '../../domain/audit-ledger/anchoring-schema.ts';
import { eventViewSchema } from '../../domain/audit-ledger/event-view-schema.ts';
import { badge } from '../look/badge.ts';
import { card, codeBlock, facts, missingPart, notice } from '../look/components.ts';
import { form } from '../look/forms.ts';
import { moment } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { type Part, part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';
import { type EventView, entityPath, eventPath, READERS } from './ledger-page.ts';
import { proofSteps } from './proof-steps.ts';
import { doubtOf, transaction } from './transaction.ts';

export type Proof = z.output<typeof eventProofSchema>;

export const eventDetailPage = definePage({
  module: 'audit-ledger',
  path: '/ledger/events/:id',
  summary: 'One event with its proof',
  callers: READERS,
  params: z.strictObject({ id: z.string().max(100) }),
  load: async ({ platform, params: { id } }) => {
    const [event, proof] = await Promise.all([
      platform.get('audit-ledger', pathOf('v1', 'events', id), eventViewSchema),
      part(platform.get('audit-ledger', pathOf('v1', 'proofs', id), eventProofSchema)),
    ]);
    return { event, proof };
  },
  view: ({ event, proof }, context) => ({
    title: event.eventType,
    crumbs: [['Audit ledger', '/ledger']],
    beside: standing(proof),
    lead: html`<a href="${entityPath(event.entityId)}">${event.entityId}</a>, ${moment(event.createdAt)}`,
    body: html`<div class="columns"><div>${contentCard(event)}${proofCard(event, proof)}</div><div>${placeCard(event)}${chainCard(event, context)}</div></div>`,
  }),
});

function standing(proof: Part<Proof>): Html | false {
  if (!proof.ok) return proof.error.code === 'NOT_BATCHED' && badge('busy', 'Proof comes tonight', 'clock');
  const { signature, anchors } = proof.value;
  if (signature === 'wrong' || anchors.some((anchor) => anchor.signature === 'wrong'))
    return badge('bad', 'Does not match');
  const { length } = anchors.filter((anchor) => anchor.signature === 'good');
  if (length === 0 && anchors.length > 0) return badge('warn', 'Not checked');
  return length === 0
    ? badge('warn', 'On no chain yet')
    : badge('good', `On ${length === 1 ? 'one chain' : `${length} chains`}`);
}

function contentCard({ data, metadata }: EventView): Html {
  return card(
    { title: 'What it says' },
    html`${codeBlock('Data of the event', JSON.stringify(data, null, 2))}
<details class="disclosure"><summary>Metadata: who asked for it, and from where</summary>${codeBlock('Metadata of the event', JSON.stringify(metadata, null, 2))}</details>`,
  );
}

function placeCard({ id, orgSlug, emitter, namespace, chainIndex, eventHash, prevHash, payloadHash }: EventView): Html {
  return card(
    { title: 'Where it stands' },
    facts([
      ['Organisation', orgSlug],
      ['Written by', emitter],
      ['Place', `${namespace} #${chainIndex}`],
      ['Number', html`<code>${id}</code>`],
      ['Hash of the event', html`<code>${eventHash}</code>`],
      ['Hash of what it says', html`<code>${payloadHash}</code>`],
      ['Hash of the event before it', html`<code>${prevHash}</code>`],
    ]),
  );
}

/** The ledger verifies on request: reading a whole chain is work that no visit of a page should cause. */
function chainCard({ id, namespace }: EventView, context: PageContext): Html {
  return card(
    { title: 'Verify' },
    html`<p class="quiet">The ledger reads the chain from its first event on, for an entity every chain that it has, and compares with its signed checkpoints. Who does not want to believe the ledger verifies the proof.</p>
<div class="buttons">${form(context, { action: eventPath(id, 'verify-chain'), button: `Verify the chain of ${namespace}`, icon: 'shield', tone: 'plain' })}
${form(context, { action: eventPath(id, 'verify-entity'), button: 'Verify the history of the entity', tone: 'plain' })}</div>`,
  );
}

function proofCard(event: EventView, proof: Part<Proof>): Html {
  if (proof.ok) return card({ title: 'Proof' }, proofView(event, proof.value));
  if (proof.error.code !== 'NOT_BATCHED') return card({ title: 'Proof' }, missingPart(proof.error));
  return card(
    { title: 'Proof' },
    html`<p class="quiet">There is none yet: the batch of its day is made in the night after it, from 00:10 UTC on.</p>`,
  );
}

function proofView(event: EventView, proof: Proof): Html {
  const { batchId, leafIndex, root, signature, anchors } = proof;
  const doubt = doubtOf(signature);
  return html`${doubt !== null && notice('warn', html`<p>The batch of its day: ${doubt}.</p>`)}${anchors.length === 0 && notice('warn', html`<p>The root of its day stands on no chain yet.</p>`)}
${facts([
  ['Batch', html`<a href="/ledger/anchors">${batchId}</a>, leaf ${leafIndex}`],
  ['Root of the day', html`<code>${root}</code>`],
  ...anchors.map(
    ({ chainId, blockNumber, contract, txHash, explorerUrl, signature: ofAnchor }) =>
      [
        `Chain ${chainId}`,
        doubtOf(ofAnchor) ??
          html`block ${blockNumber}, ${transaction(txHash, explorerUrl)}<span class="sub">contract <code>${contract}</code></span>`,
      ] as const,
  ),
])}
<details class="disclosure"><summary>The way from the event to the root, ${proof.proof.length} steps</summary>${proofSteps(proof)}</details>
<h3 class="inner">Verify it without the ledger</h3>
<p class="quiet">With a node of each chain, and the address of the contract from an independent source:</p>
${codeBlock('Commands that verify the proof', commands(event.id))}
<details class="disclosure"><summary>proof.json</summary>${codeBlock('The proof as a file', JSON.stringify(proof, null, 2))}</details>
<details class="disclosure"><summary>event.json</summary>${codeBlock('The event as a file', JSON.stringify(event, null, 2))}</details>`;
}

function commands(id: string): string {
  return `fairlead audit proof ${id} --output proof.json
fairlead audit event ${id} --output event.json
fairlead audit verify proof.json --event event.json \\
  --contract <address> --rpc <node of one chain> --rpc <node of the other>`;
}
