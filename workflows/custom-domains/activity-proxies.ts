import { proxyActivities } from '@temporalio/workflow';
import type { CustomDomainsActivities } from '../../activities/custom-domains/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const taskQueue = moduleTaskQueue('custom-domains');
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' } as const;

/** What somebody waits for: it is refused, or done, within minutes. */
export const { claimDomain, prepareDomain } = proxyActivities<
  Pick<CustomDomainsActivities, 'claimDomain' | 'prepareDomain'>
>({ taskQueue, startToCloseTimeout: '2m', scheduleToCloseTimeout: '5m', heartbeatTimeout: '30s', retry });

/** A look whose vendor is away is given up: the next one comes. */
export const { observeDomain } = proxyActivities<Pick<CustomDomainsActivities, 'observeDomain'>>({
  ...{ taskQueue, startToCloseTimeout: '3m', scheduleToCloseTimeout: '10m', heartbeatTimeout: '30s', retry },
});

/** Records: retried for as long as the database may be away. */
export const { readHolding, requireHolding, beginRemoval } = proxyActivities<
  Pick<CustomDomainsActivities, 'readHolding' | 'requireHolding' | 'beginRemoval'>
>({ taskQueue, startToCloseTimeout: '1m', scheduleToCloseTimeout: '1d', retry });

/** It ends only with everything undone: what still leads to a service keeps its name from others. */
export const { removeDomain } = proxyActivities<Pick<CustomDomainsActivities, 'removeDomain'>>({
  ...{ taskQueue, startToCloseTimeout: '5m', scheduleToCloseTimeout: '30d', heartbeatTimeout: '30s' },
  retry: { ...retry, maximumInterval: '15m' },
});
