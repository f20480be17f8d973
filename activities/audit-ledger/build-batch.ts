import type { Batch } from '../../domain/audit-ledger/batch.ts';
import { assertTreeProves } from '../../domain/audit-ledger/check-tree.ts';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { LEDGER_NAMESPACE, type LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { EMPTY_DAY_ROOT } from '../../domain/audit-ledger/merkle-proof.ts';
import { toHash } from '../../domain/audit-ledger/merkle-tree.ts';
import { ledgerCloseKey } from '../../domain/audit-ledger/own-events.ts';
import type { BatchSegment } from '../../domain/audit-ledger/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { checkDay } from './check-day.ts';
import { findClose } from './find-close.ts';

const HASH_BYTES = 32;

/**
 * Builds the batch of a closed day: its events in the order of namespace and chain, each namespace's close after them,
 * the ledger's close last. Every chain is checked first (`check-day.ts`): a root over what was tampered with would make it
 * look proven. Idempotent: a day that has a batch keeps it.
 * @throws ANCHOR_REFUSED when a chain is not what its links, the closes and the signed checkpoints say
 */
export async function buildBatch(deps: AnchoringDeps, day: Day, signal: AbortSignal): Promise<Batch> {
  const existing = await deps.batches.find(day);
  if (existing !== null) return existing;
  const leaves = createLeaves();
  const ledgerClose = await findClose(deps, LEDGER_NAMESPACE, ledgerCloseKey(day));
  if (ledgerClose !== null) {
    await checkDay(deps, { day, ledgerClose, add: leaves.add, signal });
    leaves.add(ledgerClose);
  }
  const chainIds = deps.chains.map(({ chainId }) => chainId);
  const batch = { id: day, leafCount: leaves.count(), chainIds, closedAt: deps.now() };
  if (batch.leafCount === 0) await deps.batches.insert({ ...batch, root: EMPTY_DAY_ROOT }, null);
  else {
    const content = leaves.content();
    const tree = await deps.trees.build(content.eventHashes, signal);
    assertTreeProves(tree, content.eventHashes);
    const root = toHash(tree.nodes.subarray(0, HASH_BYTES));
    await deps.batches.insert({ ...batch, root }, { ...content, tree });
  }
  const kept = await deps.batches.find(day);
  if (kept === null) throw new FairleadError('INTERNAL', `the batch of ${day} was not kept`);
  return kept;
}

/** Leaves in the order they are added, packed: a full day has close to a million. */
function createLeaves() {
  const segments: { -readonly [K in keyof BatchSegment]: BatchSegment[K] }[] = [];
  const eventIds: string[] = [];
  const orgSlugs: string[] = [];
  let hashes = Buffer.alloc(1_024 * HASH_BYTES);

  function add({ id, namespace, chainIndex, orgSlug, eventHash }: LedgerEvent): void {
    const leafIndex = eventIds.length;
    const last = segments.at(-1);
    if (last?.namespace === namespace && last.firstChainIndex + last.count === chainIndex) last.count += 1;
    else segments.push({ namespace, firstChainIndex: chainIndex, firstLeafIndex: leafIndex, count: 1 });
    if ((leafIndex + 1) * HASH_BYTES > hashes.length) hashes = Buffer.concat([hashes, Buffer.alloc(hashes.length)]);
    hashes.write(eventHash.slice(2), leafIndex * HASH_BYTES, 'hex');
    eventIds.push(id);
    orgSlugs.push(orgSlug);
  }

  return {
    add,
    count: () => eventIds.length,
    content: () => ({ segments, eventIds, orgSlugs, eventHashes: hashes.subarray(0, eventIds.length * HASH_BYTES) }),
  };
}
