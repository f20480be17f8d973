import type { Batch } from '../../domain/audit-ledger/batch.ts';
import { signBatch } from '../../domain/audit-ledger/batch-signature.ts';
import { assertTreeProves } from '../../domain/audit-ledger/check-tree.ts';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { addDays, dayOf } from '../../domain/audit-ledger/days.ts';
import { type Hash, LEDGER_NAMESPACE, type LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { EMPTY_DAY_ROOT } from '../../domain/audit-ledger/merkle-proof.ts';
import { toHash } from '../../domain/audit-ledger/merkle-tree.ts';
import { ledgerCloseKey } from '../../domain/audit-ledger/own-events.ts';
import type { BatchContent, BatchSegment } from '../../domain/audit-ledger/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { checkDay } from './check-day.ts';
import { findClose } from './find-close.ts';
import { ownBatch } from './own-batches.ts';
import { mayBeNamed, readLedgerClose } from './proven-closes.ts';
import { type StandingRoot, standingRoots } from './standing-roots.ts';

const HASH_BYTES = 32;

/**
 * Builds the batch of a closed day: its events in the order of namespace and chain, each namespace's close after them,
 * the ledger's close last. Every chain is checked first (`check-day.ts`): a root over what was tampered with would make it
 * look proven. Idempotent: a day that has a batch of the ledger keeps it, and one that has another gets its own instead; one
 * whose batch was lost gets the same again, as chains and the close of the next day know it.
 * @throws ANCHOR_REFUSED when a chain is not what its links, the closes and the signed checkpoints say, or another root stands
 * @throws CHAIN_UNREACHABLE (retryable) when there are chains, and none says whether one stands, or, of a day before the one
 *   that has just ended, not every one
 */
export async function buildBatch(deps: AnchoringDeps, day: Day, signal: AbortSignal): Promise<Batch> {
  const existing = await ownBatch(deps, day);
  if (existing !== null) return existing;
  // The day that has just ended is on no chain yet, and waits for none that is away. An earlier one may be on each of them.
  const hasJustEnded = day >= addDays(dayOf(deps.now()), -1);
  const standing = await standingRoots(deps, day, { everyChain: !hasJustEnded });
  const leaves = createLeaves();
  const ledgerClose = await findClose(deps, LEDGER_NAMESPACE, ledgerCloseKey(day));
  if (ledgerClose !== null) {
    await checkDay(deps, { day, ledgerClose, stands: standing.length > 0, add: leaves.add, signal });
    leaves.add(ledgerClose);
  }
  const content = leaves.count() === 0 ? null : await withTree(deps, leaves.content(), signal);
  const root = content === null ? EMPTY_DAY_ROOT : toHash(content.tree.nodes.subarray(0, HASH_BYTES));
  await assertNoOtherRoot(deps, { day, root, standing });
  const chainIds = deps.chains.map(({ chainId }) => chainId);
  return await keep(deps, { id: day, root, leafCount: leaves.count(), chainIds, closedAt: deps.now() }, content);
}

async function withTree(
  { trees }: AnchoringDeps,
  content: Omit<BatchContent, 'tree'>,
  signal: AbortSignal,
): Promise<BatchContent> {
  const tree = await trees.build(content.eventHashes, signal);
  assertTreeProves(tree, content.eventHashes);
  return { ...content, tree };
}

/** Only here, where the day was checked, is a batch signed. What somebody else put in its place goes as late as here. */
async function keep(deps: AnchoringDeps, batch: Omit<Batch, 'anchors'>, content: BatchContent | null): Promise<Batch> {
  const signed = await signBatch(batch, deps.ledgerName, deps.signer);
  const stored = await deps.batches.find(batch.id);
  if (stored === null) await deps.batches.insert(signed, content);
  else if ((await ownBatch(deps, batch.id)) === null) await deps.batches.replace(stored, signed, content);
  const kept = await ownBatch(deps, batch.id);
  if (kept === null) throw new FairleadError('INTERNAL', `the batch of ${batch.id} was not kept`);
  return kept;
}

/**
 * A day that was batched before has the root that it had, or none: else its events were changed since. The close of the next
 * day names it, unless the day had no batch then.
 */
async function assertNoOtherRoot(
  deps: AnchoringDeps,
  { day, root, standing }: { day: Day; root: Hash; standing: readonly StandingRoot[] },
): Promise<void> {
  const other = standing.find((one) => one.root !== root);
  if (other !== undefined) throw otherRoot(day, root, `the root ${other.root} stands on chain ${other.chainId}`);
  if (standing.length > 0) return;
  const next = addDays(day, 1);
  const close = await findClose(deps, LEDGER_NAMESPACE, ledgerCloseKey(next));
  if (close === null) return;
  const { previousRoot } = readLedgerClose(close);
  if (previousRoot === root || (await mayBeNamed(deps, day, previousRoot))) return;
  throw otherRoot(day, root, `the close of ${next} names the root ${previousRoot}`);
}

function otherRoot(day: Day, root: Hash, known: string): FairleadError {
  const reason = `its events lead to the root ${root}, and ${known}`;
  return new FairleadError('ANCHOR_REFUSED', `${day}: ${reason}. Verify the chains.`, { details: { day, reason } });
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
