import { readPayload } from '../../domain/audit-ledger/canonical.ts';
import type { Day, LedgerClose } from '../../domain/audit-ledger/day-close.ts';
import { type Hash, LEDGER_NAMESPACE, type LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { hashOfEvent } from '../../domain/audit-ledger/hash.ts';
import { EMPTY_DAY_ROOT, rootOfProof } from '../../domain/audit-ledger/merkle-proof.ts';
import { dayCloseKey, ledgerCloseKey } from '../../domain/audit-ledger/own-events.ts';
import { ledgerCloseSchema } from '../../domain/audit-ledger/schema.ts';
import type { KnownHash } from '../../domain/audit-ledger/verify-chain.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { findClose } from './find-close.ts';
import { isRootBefore, latestOwnBatch, type OwnBatchDeps, provenRoot, unsignedBefore } from './own-batches.ts';
import { dayRefused } from './refuse-day.ts';

type Deps = OwnBatchDeps & Pick<AnchoringDeps, 'events'>;

/** The closes of a day, proven by the root of its batch. */
export interface ProvenCloses {
  readonly day: Day;
  /** Of the closes of namespaces, by namespace. */
  readonly hashes: ReadonlyMap<string, Hash>;
  readonly ledgerClose: LedgerEvent;
}

/** What the close of the ledger says. */
export function readLedgerClose(event: LedgerEvent): LedgerClose {
  return ledgerCloseSchema.parse(readPayload(event.payload).data);
}

/**
 * The closes of a day that has a batch; null without one, `empty` for a day of a ledger without events.
 * @param checked the day that is checked by them
 * @throws ANCHOR_REFUSED when the closes are not those that were batched
 */
export async function provenCloses(deps: Deps, day: Day, checked: Day): Promise<ProvenCloses | 'empty' | null> {
  const root = await provenRoot(deps, day);
  if (root === null) return null;
  if (root === EMPTY_DAY_ROOT) return 'empty';
  const ledgerClose = await findClose(deps, LEDGER_NAMESPACE, ledgerCloseKey(day));
  if (ledgerClose === null || (await rootOver(deps, day, ledgerClose)) !== root) {
    throw dayRefused(checked, LEDGER_NAMESPACE, `its close of ${day} is not the one that was batched`);
  }
  const hashes = readLedgerClose(ledgerClose).namespaces.map(
    ({ namespace, closeHash }) => [namespace, closeHash] as const,
  );
  return { day, hashes: new Map(hashes), ledgerClose };
}

/** Those that must stand in the chain of a namespace. @throws ANCHOR_REFUSED when one is missing */
export async function closesIn(
  deps: Deps,
  { day, hashes, ledgerClose }: ProvenCloses,
  namespace: string,
  checked: Day,
): Promise<readonly KnownHash[]> {
  const whole = namespace === LEDGER_NAMESPACE ? [ledgerClose] : [];
  const eventHash = hashes.get(namespace);
  if (eventHash === undefined) return whole;
  const close = await findClose(deps, namespace, dayCloseKey(day));
  if (close === null) throw dayRefused(checked, namespace, `its close of ${day} is missing`);
  return [{ chainIndex: close.chainIndex, eventHash }, ...whole];
}

/**
 * True when the close of a day may name that root as the one of a day before: as {@link isRootBefore}; or, in a ledger none of
 * whose batches before the day is certain any more, of a batch from before they were signed, for which no chain vouches. Then the
 * close of the ledger that stands in its chain has to lead to that root, and it names the heads of all chains: whoever checks
 * the chains from their first event knows that they are those which were batched.
 * @throws CHAIN_UNREACHABLE (retryable) when only chains could tell, and none answers
 */
export async function mayBeNamed(deps: Deps, day: Day, root: Hash): Promise<boolean> {
  if (await isRootBefore(deps, day, root)) return true;
  if ((await latestOwnBatch(deps, day)) !== null) return false;
  const batch = await unsignedBefore(deps, day, root);
  if (batch === null) return false;
  const ledgerClose = await findClose(deps, LEDGER_NAMESPACE, ledgerCloseKey(batch.id));
  if (ledgerClose === null) return root === EMPTY_DAY_ROOT;
  return (await rootOver(deps, batch.id, ledgerClose)) === root;
}

/** The root that the stored tree of a day leads to from an event; null where it leads nowhere. */
async function rootOver({ batches }: Deps, day: Day, event: LedgerEvent): Promise<Hash | null> {
  const place = await batches.locate(day, event.namespace, event.chainIndex);
  if (place === null) return null;
  try {
    return rootOfProof(hashOfEvent(event), await batches.proof(day, place.leafIndex));
  } catch (error) {
    // By a count of leaves that was changed, nodes are looked for where there are none.
    if (error instanceof FairleadError && !error.retryable) return null;
    throw error;
  }
}
