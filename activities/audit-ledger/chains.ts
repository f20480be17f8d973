import { type NamespaceHead, rootOfHeads, signCheckpoint } from '../../domain/audit-ledger/checkpoint.ts';
import { GENESIS_HASH } from '../../domain/audit-ledger/event.ts';
import type { LedgerSigner } from '../../domain/audit-ledger/receipt.ts';
import {
  type HistoryDeps,
  type HistoryRequest,
  type HistoryVerdict,
  verifyHistory,
} from '../../domain/audit-ledger/verify-history.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';

export interface ChainDeps extends Omit<HistoryDeps, 'keys'> {
  readonly signer: LedgerSigner;
}

/** The activities on chains. Each may run any number of times: one writes what is not there yet, the other only reads. */
export function createChainActivities(deps: ChainDeps) {
  return {
    /** @param time ISO 8601: checkpoints of one time are kept once @returns how many namespaces there are */
    writeCheckpoints: (time: string) => whileHeartbeating(() => writeCheckpoints(deps, new Date(time))),
    verifyHistory: (request: HistoryRequest): Promise<HistoryVerdict> =>
      whileHeartbeating((signal) =>
        verifyHistory(request, { ...deps, keys: deps.signer.keys }, () => signal.throwIfAborted()),
      ),
  };
}

export type ChainActivities = ReturnType<typeof createChainActivities>;

async function writeCheckpoints(deps: ChainDeps, time: Date): Promise<number> {
  const heads: NamespaceHead[] = [];
  for (const namespace of await deps.store.namespaces()) {
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

async function write(
  { checkpoints, ledgerName, signer }: ChainDeps,
  checkpoint: Parameters<typeof signCheckpoint>[0],
): Promise<void> {
  await checkpoints.insert(await signCheckpoint(checkpoint, ledgerName, signer));
}
