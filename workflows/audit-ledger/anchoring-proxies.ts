import { proxyActivities } from '@temporalio/workflow';
import type { AnchoringActivities } from '../../activities/audit-ledger/anchoring.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const taskQueue = moduleTaskQueue('audit-ledger');
const RETRY = { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '1m' } as const;

/** Work on the ledger's own database, retried for as long as that may be down. */
export const { listDaysToAnchor, reportMissedAnchors } = proxyActivities<
  Pick<AnchoringActivities, 'listDaysToAnchor' | 'reportMissedAnchors'>
>({ taskQueue, startToCloseTimeout: '5m', scheduleToCloseTimeout: '1d', heartbeatTimeout: '30s', retry: RETRY });

/** A full day takes a minute; many that were left open take as many. */
export const { batchDay } = proxyActivities<Pick<AnchoringActivities, 'batchDay'>>({
  taskQueue,
  startToCloseTimeout: '2h',
  scheduleToCloseTimeout: '1d',
  heartbeatTimeout: '30s',
  retry: RETRY,
  summary: 'Close the day and build its tree',
});

/** One attempt on one chain: a worker that dies is made up for within it, a chain that is down is not. */
export function anchorAttempt(chainId: number) {
  return proxyActivities<Pick<AnchoringActivities, 'anchorBatch'>>({
    taskQueue,
    startToCloseTimeout: '15m',
    scheduleToCloseTimeout: '45m',
    heartbeatTimeout: '30s',
    retry: { ...RETRY, maximumAttempts: 3 },
    summary: `Anchor on chain ${chainId}`,
  }).anchorBatch;
}
