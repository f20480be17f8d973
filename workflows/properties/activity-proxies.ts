import { proxyActivities } from '@temporalio/workflow';
import type { PropertiesActivities } from '../../activities/properties/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const taskQueue = moduleTaskQueue('properties');
const retry = { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '2m' } as const;

/** What asks the search engine or the DNS provider: each is away for a while, or has no calls left in this window. */
export const { requestToken, confirmRecord, confirmOnce, completeVerified, addOwner, readToken } = proxyActivities<
  Pick<
    PropertiesActivities,
    'requestToken' | 'confirmRecord' | 'confirmOnce' | 'completeVerified' | 'addOwner' | 'readToken'
  >
>({ taskQueue, startToCloseTimeout: '3m', scheduleToCloseTimeout: '30m', retry });

export const { placeRecord, lookForRecord, recheckProperty } = proxyActivities<
  Pick<PropertiesActivities, 'placeRecord' | 'lookForRecord' | 'recheckProperty'>
>({ taskQueue, startToCloseTimeout: '5m', scheduleToCloseTimeout: '30m', heartbeatTimeout: '30s', retry });

/** A question of a person who waits: it is asked once more at the most. */
export const onceAsked = proxyActivities<
  Pick<PropertiesActivities, 'confirmOnce' | 'completeVerified' | 'addOwner' | 'readToken'>
>({ taskQueue, startToCloseTimeout: '20s', scheduleToCloseTimeout: '40s', retry: { ...retry, maximumAttempts: 2 } });

/** Records: retried for as long as the database may be away. */
export const { failVerification, recordOutcome, listVerified } = proxyActivities<
  Pick<PropertiesActivities, 'failVerification' | 'recordOutcome' | 'listVerified'>
>({ taskQueue, startToCloseTimeout: '1m', scheduleToCloseTimeout: '1d', retry });

/** They go through all Properties. */
export const { syncDomainMap, refreshZones, listStranded, closeBrokenJobs } = proxyActivities<
  Pick<PropertiesActivities, 'syncDomainMap' | 'refreshZones' | 'listStranded' | 'closeBrokenJobs'>
>({ taskQueue, startToCloseTimeout: '10m', scheduleToCloseTimeout: '25m', heartbeatTimeout: '30s', retry });
