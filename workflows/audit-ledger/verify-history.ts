import { proxyActivities } from '@temporalio/workflow';
import type { ChainActivities } from '../../activities/audit-ledger/chains.ts';
import type { HistoryRequest, HistoryVerdict } from '../../domain/audit-ledger/verify-history.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const { verifyHistory: verify } = proxyActivities<Pick<ChainActivities, 'verifyHistory'>>({
  taskQueue: moduleTaskQueue('audit-ledger'),
  startToCloseTimeout: '6h',
  scheduleToCloseTimeout: '12h',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Verifies chains that are too long for a request to wait for. A worker that dies is made up for from the start. */
export async function verifyHistory(request: HistoryRequest): Promise<HistoryVerdict> {
  return verify(request);
}
