import {
  CHECKPOINT_LATENESS_MS,
  type NamespaceHead,
  rootOfHeads,
  signCheckpoint,
} from '../../domain/audit-ledger/checkpoint.ts';
import { GENESIS_HASH } from '../../domain/audit-ledger/event.ts';
import type { LedgerSigner } from '../../domain/audit-ledger/receipt.ts';
import {
  type HistoryDeps,
  type HistoryRequest,
  type HistoryVerdict,
  verifyHistory,
} from '../../domain/audit-ledger/verify-history.ts';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';

export interface ChainDeps extends Omit<HistoryDeps, 'keys'> {
  readonly signer: LedgerSigner;
  readonly now: Clock;
}

/** The activities on chains. Each may run any number of times: one writes what is not there yet, the other only reads. */
export function createChainActivities(deps: ChainDeps) {
  return {
    /** @param time ISO 8601: checkpoints of one time are kept once @returns how many namespaces there are */
    writeCheckpoints: (time: string) => whileHeartbeating((signal) => writeCheckpoints(deps, new Date(time), signal)),
    verifyHistory: (request: HistoryRequest): Promise<HistoryVerdict> =>
      whileHeartbeating((signal) =>
        verifyHistory(request, { ...deps, keys: deps.signer.keys }, () => signal.throwIfAborted()),
      ),
  };
}

export type ChainActivities = ReturnType<typeof createChainActivities>;

async function writeCheckpoints(deps: ChainDeps, time: Date, signal: AbortSignal): Promise<number> {
  const heads: NamespaceHead[] = [];
  for (const namespace of await deps.store.namespaces()) {
    signal.throwIfAborted();
    const head = await deps.store.head(namespace);
    if (head === null) continue;
    const { chainIndex, eventHash } = head;
    heads.push({ namespace, chainIndex, eventHash });
    await write(deps, { namespace, size: chainIndex + 1, head: eventHash, time });
  }
  const size = heads.reduce((sum, { chainIndex }) => sum + chainIndex + 1, 0);
  await write(deps, { namespace: null, size, head: size === 0 ? GENESIS_HASH : rootOfHeads(heads), time });
  return heads.length;
}

/**
 * Two checkpoints of a chain are evidence against the ledger when the one of the later time tells of fewer events. So an
 * attempt that goes on although its time is over, and one whose clock was set back, sign nothing.
 * @throws UNAVAILABLE for a time that is too far from now
 */
async function write(
  { checkpoints, ledgerName, signer, now }: ChainDeps,
  checkpoint: Parameters<typeof signCheckpoint>[0],
): Promise<void> {
  // After the head was read: whatever is there by now may have looked at a shorter chain.
  const [newest] = await checkpoints.newest(checkpoint.namespace, 1);
  if (newest !== undefined && newest.time > checkpoint.time) return;
  if (Math.abs(now().getTime() - checkpoint.time.getTime()) > CHECKPOINT_LATENESS_MS) {
    throw new FairleadError(
      'UNAVAILABLE',
      `It is too late, or too early, for a checkpoint of ${checkpoint.time.toISOString()}`,
    );
  }
  await checkpoints.insert(await signCheckpoint(checkpoint, ledgerName, signer));
}
