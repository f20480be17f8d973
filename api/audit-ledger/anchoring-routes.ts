import { z } from 'zod';
import type { AnchorCommands } from '../../domain/audit-ledger/anchoring-ports.ts';
import {
  anchoredDaySchema,
  batchSchema,
  daySchema,
  eventProofSchema,
  proofAnchors,
} from '../../domain/audit-ledger/anchoring-schema.ts';
import type { Batch, EventProof } from '../../domain/audit-ledger/batch.ts';
import { batchDayOf } from '../../domain/audit-ledger/batch-day.ts';
import type { CheckBatch, CheckedBatch } from '../../domain/audit-ledger/checked-batch.ts';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { addDays, dayOf } from '../../domain/audit-ledger/days.ts';
import type { Hash, LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { LEAF_LIST_TYPE, type LeafListHead, leafListHeadSchema } from '../../domain/audit-ledger/leaf-list.ts';
import { leafOf } from '../../domain/audit-ledger/merkle-proof.ts';
import type { BatchStore, EventStore } from '../../domain/audit-ledger/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { PLATFORM } from '../http/allowed-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { createStreamPlaces } from '../http/stream-places.ts';
import { PROOF_READERS, READERS } from './ledger-callers.ts';
import { readableOrg, requireEvent } from './readable-events.ts';
import { streamBatch, streamLines, visibleLeaves } from './stream-batch.ts';

export interface AnchoringRoutesDeps {
  readonly store: Pick<EventStore, 'find'>;
  readonly batches: BatchStore;
  /** What is stored is told with what its signatures say of it. */
  readonly checkBatch: CheckBatch;
  readonly anchoring: AnchorCommands;
  readonly now: Clock;
}

const tag = 'anchoring';
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;
/** Of one address. A list of a full day is 70 MB. */
const LISTS_A_MINUTE = 300;
/** Lists that one address, and all together, may read at once: a slow reader holds memory and a cursor of the database. */
const LIST_PLACES = { what: 'lists are read', perKey: 4, inAll: 64 };

/** What proves events: proofs, batches and anchors (spec 3, "Audit ledger"). */
export function anchoringRoutes(deps: AnchoringRoutesDeps): readonly Route[] {
  return [proofRoute(deps), batchRoute(deps), leavesRoute(deps), anchorsRoute(deps), anchorAgainRoute(deps)];
}

function proofRoute({ store, ...deps }: AnchoringRoutesDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/v1/proofs/:eventId',
    summary: 'Proof that an event is in the anchored batch of its day',
    description: "Of an event of the caller's org. There is none before the night's batch.",
    tag,
    callers: PROOF_READERS,
    params: z.strictObject({ eventId: z.string().min(1).max(100) }),
    responses: { 200: { description: 'The proof', schema: eventProofSchema } },
    errors: ['EVENT_NOT_FOUND', 'NOT_BATCHED', 'ORG_CLAIM_MISSING'],
    resource: ({ params }, { caller }) => requireEvent(store, caller, params.eventId),
    handle: async ({ resource: event }) => ({ status: 200, data: await proofOf(deps, event) }),
  });
}

/** @throws NOT_BATCHED */
export async function proofOf(
  { batches, checkBatch }: Pick<AnchoringRoutesDeps, 'batches' | 'checkBatch'>,
  event: LedgerEvent,
): Promise<EventProof> {
  const place = await batches.locate(batchDayOf(event), event.namespace, event.chainIndex);
  if (place === null) {
    const message = 'The event is in no batch yet: its day is batched in the night after it, from 00:10 UTC on';
    throw new FairleadError('NOT_BATCHED', message, { details: { error: 'not_batched' } });
  }
  const { leafIndex } = place;
  const batch = checkBatch(place.batch);
  const { id: batchId, root, signature } = batch;
  const proof = await batches.proof(batchId, leafIndex);
  const { eventHash } = event;
  return {
    eventHash,
    leaf: leafOf(eventHash),
    leafIndex,
    proof,
    root,
    batchId,
    signature,
    anchors: proofAnchors(batch),
  };
}

function batchRoute({ batches, checkBatch }: AnchoringRoutesDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/v1/batches/:batchId',
    summary: 'A batch with its leaves, as a stream',
    description: 'Whoever has the leaves can build the tree and compare its root with the contracts.',
    tag,
    callers: READERS,
    params: z.strictObject({ batchId: daySchema }),
    responses: { 200: { description: 'The batch', schema: batchSchema } },
    errors: ['BATCH_NOT_FOUND', 'ORG_CLAIM_MISSING'],
    handle: async ({ params }, { caller, gone }) => {
      const orgSlug = readableOrg(caller);
      const batch = await requireBatch(batches, params.batchId);
      const head = { ...anchoredDay(checkBatch(batch)), leafCount: batch.leafCount };
      return (response) => streamBatch(response, head, visibleLeaves(batches.leaves(batch.id), orgSlug), gone);
    },
  });
}

function leavesRoute({ batches }: AnchoringRoutesDeps): Route {
  const places = createStreamPlaces(LIST_PLACES);
  return defineRoute({
    method: 'get',
    path: '/v1/batches/:batchId/leaves',
    summary: 'The leaf list of a day, as a stream',
    description:
      'Shows anybody whether an event is in the root of a day. One JSON value a line: the head, then the ' +
      'keccak256 of the hash of each event, in the ascending order of the leaves of the tree. They tell how many events the day has, and nothing else of them.',
    tag,
    callers: 'public',
    rateLimit: { perMinute: LISTS_A_MINUTE },
    params: z.strictObject({ batchId: daySchema }),
    responses: {
      200: {
        description: 'The head of the list',
        schema: leafListHeadSchema,
        alternative: { contentType: LEAF_LIST_TYPE, description: 'The head, then a hash a line' },
      },
    },
    errors: ['BATCH_NOT_FOUND'],
    handle: async ({ params }, { gone, address }) => {
      const { id: batchId, root, leafCount } = await requireBatch(batches, params.batchId);
      const head: LeafListHead = { batchId, root, leafCount };
      const leave = places.take(address, gone);
      return (response) =>
        streamLines(response, LEAF_LIST_TYPE, linesOf(head, batches.listed(batchId)), gone).finally(leave);
    },
  });
}

async function* linesOf(head: LeafListHead, listed: AsyncIterable<Hash>): AsyncGenerator<string> {
  yield `${JSON.stringify(head)}\n`;
  for await (const hash of listed) yield `"${hash}"\n`;
}

function anchorsRoute({ batches, checkBatch, now }: AnchoringRoutesDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/v1/anchors',
    summary: 'Anchored roots with their transactions, by day',
    description: `No content of events. What is not signed by the ledger is told as such. Without \`from\` the last ${DEFAULT_DAYS} days; at most ${MAX_DAYS} at once.`,
    tag,
    callers: 'public',
    query: z.strictObject({ from: daySchema.optional(), to: daySchema.optional() }),
    responses: {
      200: { description: 'The days, oldest first', schema: z.object({ days: z.array(anchoredDaySchema) }) },
    },
    handle: async ({ query }) => {
      const to = query.to ?? dayOf(now());
      const from = query.from ?? addDays(to, 1 - DEFAULT_DAYS);
      requireRange(from, to);
      const { items } = await batches.list(from, to, { cursor: null, limit: MAX_DAYS });
      return { status: 200, data: { days: items.map((batch) => anchoredDay(checkBatch(batch))) } };
    },
  });
}

/** @throws VALIDATION_FAILED */
function requireRange(from: Day, to: Day): void {
  const problem =
    from > to ? 'is after to' : addDays(from, MAX_DAYS) <= to ? `is more than ${MAX_DAYS} days before to` : null;
  if (problem === null) return;
  throw new FairleadError('VALIDATION_FAILED', `from ${problem}`, { details: [{ field: 'from', message: problem }] });
}

const startedSchema = z.object({ batchId: daySchema, status: z.literal('started'), poll: z.string() });

function anchorAgainRoute({ anchoring, now }: AnchoringRoutesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/v1/batches/:batchId/anchor',
    summary: 'Anchor a day again whose night was missed',
    description:
      'Batches the day if it has no batch, and sends what does not stand on a chain yet: a chain that has the root is left ' +
      'alone. One run for each day: asked again meanwhile, it goes on. A batch that stands is invalidated by the owner of ' +
      'the contract alone, whose key the ledger does not have.',
    tag,
    callers: PLATFORM,
    params: z.strictObject({ batchId: daySchema }),
    responses: { 202: { description: 'Under way', schema: startedSchema } },
    errors: ['UNAVAILABLE'],
    handle: async ({ params: { batchId } }) => {
      if (batchId >= dayOf(now())) {
        const message = `${batchId} is not over yet: days are UTC`;
        throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'batchId', message }] });
      }
      await anchoring.anchorDay(batchId);
      const poll = `/v1/anchors?from=${batchId}&to=${batchId}`;
      return { status: 202, data: { batchId, status: 'started', poll } };
    },
  });
}

/** @throws BATCH_NOT_FOUND */
async function requireBatch(batches: BatchStore, id: Day): Promise<Batch> {
  const batch = await batches.find(id);
  if (batch === null) throw new FairleadError('BATCH_NOT_FOUND', `${id} has no batch`);
  return batch;
}

function anchoredDay(batch: CheckedBatch): z.input<typeof anchoredDaySchema> {
  const { id: batchId, root, signature, closedAt, chainIds, anchors } = batch;
  const places = anchors.map(({ blockHash: _, confirmedAt, ...place }) => {
    return { ...place, confirmedAt: confirmedAt.toISOString() };
  });
  return { batchId, root, signature, closedAt: closedAt.toISOString(), chainIds: [...chainIds], anchors: places };
}
