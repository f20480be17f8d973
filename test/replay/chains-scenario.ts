import type { ChainActivities } from '../../activities/audit-ledger/chains.ts';
import { CHAIN_WORKFLOWS } from '../../domain/audit-ledger/chain-messages.ts';
import type { HistoryRequest } from '../../domain/audit-ledger/verify-history.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';

const REQUEST: HistoryRequest = { kind: 'namespace', namespace: 'shop', expectedHead: null };

/** The checkpoints of an hour, and a verification in the background that finds a chain broken. */
export async function chains(temporal: Awaited<ReturnType<typeof createTemporal>>) {
  const activities: ChainActivities = {
    writeCheckpoints: async () => 2,
    verifyHistory: async () => ({
      valid: false,
      brokenAt: { namespace: 'shop', chainIndex: 7 },
      reason: 'altered',
      count: 7,
      heads: [],
    }),
  };
  return await withOwnWorker(temporal, { taskQueue: 'chains', module: 'audit-ledger', activities }, async (execute) => {
    await execute(CHAIN_WORKFLOWS.writeCheckpoints, 'write-checkpoints');
    await execute(CHAIN_WORKFLOWS.verifyHistory, 'verify-history', [REQUEST]);
    return { 'write-checkpoints': 'write-checkpoints', 'verify-history': 'verify-history' };
  });
}
