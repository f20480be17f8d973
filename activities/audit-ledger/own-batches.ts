import type { Anchor, Batch } from '../../domain/audit-ledger/batch.ts';
import { isAnchorSigned, isBatchSigned } from '../../domain/audit-ledger/batch-signature.ts';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { GENESIS_HASH, type Hash } from '../../domain/audit-ledger/event.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { standingRoot, standingRoots } from './standing-roots.ts';

/** Among so many of the newest batches is the one that a close names, however long ago they were made: nights catch up a month. */
const NAMED_BATCHES = 62;

export type OwnBatchDeps = Pick<AnchoringDeps, 'batches' | 'chains' | 'ledgerName' | 'signer'>;

/**
 * The batch of a day that the ledger itself made; null without one, and for one that somebody put into the database, or
 * changed there: that is built anew. Of one from before they were signed nothing is certain but its root.
 * @throws CHAIN_UNREACHABLE (retryable) when only chains could tell, and none answers
 */
export async function ownBatch(deps: OwnBatchDeps, day: Day): Promise<Batch | null> {
  const batch = await deps.batches.find(day);
  return batch !== null && (await isOwn(deps, batch)) ? batch : null;
}

/**
 * The root of a day as the ledger signed it, or as it stands on a chain, whatever else its record says; null without one.
 * @throws CHAIN_UNREACHABLE as {@link ownBatch}
 */
export async function provenRoot(deps: OwnBatchDeps, day: Day): Promise<Hash | null> {
  const batch = await deps.batches.find(day);
  if (batch === null) return null;
  const isProven = isBatchSigned(batch, deps.ledgerName, deps.signer.keys) || (await standsOnChain(deps, batch));
  return isProven ? batch.root : null;
}

/** The newest one before a day. @throws CHAIN_UNREACHABLE as {@link ownBatch} */
export async function latestOwnBatch(deps: OwnBatchDeps, day: Day): Promise<Batch | null> {
  for (let before = day; ; ) {
    const batch = await deps.batches.latestBefore(before);
    if (batch === null || (await isOwn(deps, batch))) return batch;
    before = batch.id;
  }
}

/**
 * True when a close may name that root as the one before a day although the day has none: an own batch of some day before has it,
 * or none had been made. Days that were closed while others had no batch name an older one, after an outage one of months ago.
 * @throws CHAIN_UNREACHABLE as {@link ownBatch}
 */
export async function isRootBefore(deps: OwnBatchDeps, day: Day, root: Hash): Promise<boolean> {
  if (root === GENESIS_HASH) return true;
  let before = day;
  for (let looked = 0; looked < NAMED_BATCHES; looked += 1) {
    const batch = await latestOwnBatch(deps, before);
    if (batch === null) return false;
    if (batch.root === root) return true;
    before = batch.id;
  }
  return false;
}

/**
 * The batch before a day that has that root and no signature, as those from before they were signed; null without one. Nothing
 * of it is certain.
 */
export async function unsignedBefore({ batches }: OwnBatchDeps, day: Day, root: Hash): Promise<Batch | null> {
  let before = day;
  for (let looked = 0; looked < NAMED_BATCHES; looked += 1) {
    const batch = await batches.latestBefore(before);
    if (batch === null || (batch.root === root && batch.signature === undefined)) return batch;
    before = batch.id;
  }
  return null;
}

/**
 * True for an anchor that the ledger recorded. One from before they were signed counts where its contract is the one that is
 * configured, and that has the root: anybody can set up another contract with any root in it.
 */
export async function isOwnAnchor(deps: OwnBatchDeps, batch: Batch, anchor: Anchor): Promise<boolean> {
  if (isAnchorSigned(anchor, batch, deps.ledgerName, deps.signer.keys)) return true;
  const chain = deps.chains.find(({ chainId }) => chainId === anchor.chainId);
  if (chain === undefined || !isSameContract(anchor, chain)) return false;
  return (await standingRoot(chain, batch.id)) === batch.root;
}

export function isSameContract(one: { readonly contract: string }, other: { readonly contract: string }): boolean {
  return one.contract.toLowerCase() === other.contract.toLowerCase();
}

/** A signature that is wrong means that something was changed, and a chain only tells that it was not the root. */
async function isOwn(deps: OwnBatchDeps, batch: Batch): Promise<boolean> {
  if (batch.signature === undefined) return await standsOnChain(deps, batch);
  return isBatchSigned(batch, deps.ledgerName, deps.signer.keys);
}

/** Proves the root and no other field: nobody but the ledger brings a root into its contracts. @throws CHAIN_UNREACHABLE */
async function standsOnChain(deps: OwnBatchDeps, { id, root }: Batch): Promise<boolean> {
  return (await standingRoots(deps, id)).some((standing) => standing.root === root);
}
