import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CustomDomainsActivities } from '../../activities/custom-domains/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

/** The next round by the clock makes up for one that fails. */
const { reconcileDomains: reconcilePage } = proxyActivities<Pick<CustomDomainsActivities, 'reconcileDomains'>>({
  taskQueue: moduleTaskQueue('custom-domains'),
  startToCloseTimeout: '15m',
  heartbeatTimeout: '30s',
  scheduleToCloseTimeout: '2h',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Has every name that somebody holds looked after, page by page; schedule `reconcile-domains`. */
export async function reconcileDomains(from: string | null = null): Promise<void> {
  for (let cursor = from; ; ) {
    ({ cursor } = await reconcilePage(cursor));
    if (cursor === null) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof reconcileDomains>(cursor);
  }
}
