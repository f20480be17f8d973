import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { SearchPullsActivities } from '../../activities/search-pulls/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const taskQueue = moduleTaskQueue('search-pulls');
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' } as const;

/** Records and lists: retried for as long as the database may be away. */
export const { beginSearchPull, listUnpulledProperties, endSearchPull } = proxyActivities<
  Pick<SearchPullsActivities, 'beginSearchPull' | 'listUnpulledProperties' | 'endSearchPull'>
>({ taskQueue, startToCloseTimeout: '2m', scheduleToCloseTimeout: '12h', retry });

/** What a schedule starts; the next one by the clock makes up for it. */
export const { newSearchPull, findAbandonedPull, startSearchPull } = proxyActivities<
  Pick<SearchPullsActivities, 'newSearchPull' | 'findAbandonedPull' | 'startSearchPull'>
>({ taskQueue, startToCloseTimeout: '1m', scheduleToCloseTimeout: '20m', retry });

const attempt = {
  taskQueue,
  startToCloseTimeout: '30m',
  heartbeatTimeout: '30s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { ...retry, maximumInterval: '5m' },
} as const;
type Attempt = Pick<SearchPullsActivities, 'pullSearchNumbers'>;

/**
 * One attempt at a property. A quota of the vendor that is used up is waited for by the next attempt, and so is a vendor
 * that is away; but each property that is waited for keeps the lease, or a lane of it, from all others. So it is given up
 * until the next pull: among others when a pause of an hour, the longest there is, did not help. A worker that died is made
 * up for soon.
 */
const ofEstate = proxyActivities<Attempt>({ ...attempt, scheduleToCloseTimeout: '90m' });
/** Whoever asked for it has long gone by then. */
const ofOne = proxyActivities<Attempt>({ ...attempt, startToCloseTimeout: '20m', scheduleToCloseTimeout: '20m' });

export const pullOfEstate = ofEstate.pullSearchNumbers;
export const pullOfOne = ofOne.pullSearchNumbers;
