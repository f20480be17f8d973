import type { AnchoringActivities } from '../../activities/audit-ledger/anchoring.ts';
import { ANCHORING_WORKFLOWS, anchorWorkflowId } from '../../domain/audit-ledger/anchoring-messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';

const DAY = '2026-01-05';

/** A night with one chain that is reached at the third attempt and one that refuses, then the check. */
export async function anchoring(temporal: Awaited<ReturnType<typeof createTemporal>>) {
  let attempts = 0;
  const activities: AnchoringActivities = {
    listDaysToAnchor: async () => [DAY],
    batchDay: async (day) => ({ day, root: '0xroot', leafCount: 3, chainIds: [1, 2] }),
    anchorBatch: async ({ chainId }) => {
      if (chainId === 2) throw new FairleadError('ANCHOR_REFUSED', 'another root stands');
      attempts += 1;
      if (attempts < 3) throw new FairleadError('CHAIN_UNREACHABLE', 'the node does not answer');
      return { txHash: '0x1', blockNumber: 1 };
    },
    reportMissedAnchors: async () => [{ day: DAY, chainId: 2 }],
  };
  return await withOwnWorker(
    temporal,
    { taskQueue: 'anchoring', module: 'audit-ledger', activities },
    async (execute) => {
      await execute(ANCHORING_WORKFLOWS.anchorDay, 'anchor-day', [DAY]);
      await execute(ANCHORING_WORKFLOWS.checkAnchors, 'check-anchors');
      // The last of all: its child outlives it, and from then on this server skips no time.
      await execute(ANCHORING_WORKFLOWS.anchorNight, 'anchor-night');
      await temporal.client.workflow.getHandle(anchorWorkflowId(DAY)).result();
      return { 'anchor-night': 'anchor-night', 'anchor-day': 'anchor-day', 'check-anchors': 'check-anchors' };
    },
  );
}
