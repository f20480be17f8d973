import { proxyActivities } from '@temporalio/workflow';
import type { GitHooksActivities } from '../../activities/git-hooks/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const taskQueue = moduleTaskQueue('git-hooks');
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' } as const;

/** Asks git: retried while a host may be away for a moment. */
export const { lookAtRef, findMoved } = proxyActivities<Pick<GitHooksActivities, 'lookAtRef' | 'findMoved'>>({
  taskQueue,
  startToCloseTimeout: '5m',
  scheduleToCloseTimeout: '15m',
  heartbeatTimeout: '10s',
  retry,
});

/** Short calls that must succeed once a worker is there. */
export const { askForBuild, recordOutcomes, tellUnreachable, readPolling, readBuildState } = proxyActivities<
  Pick<GitHooksActivities, 'askForBuild' | 'recordOutcomes' | 'tellUnreachable' | 'readPolling' | 'readBuildState'>
>({ taskQueue, startToCloseTimeout: '40s', scheduleToCloseTimeout: '1d', retry });

/** Tells a commit that a build begins: soon, or not at all, so that it never comes after the end. */
export const { reportStatus: reportBegin } = proxyActivities<Pick<GitHooksActivities, 'reportStatus'>>({
  taskQueue,
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '2m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Tell the commit that a build begins',
});

export const { reportStatus: reportEnd } = proxyActivities<Pick<GitHooksActivities, 'reportStatus'>>({
  taskQueue,
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '1d',
  heartbeatTimeout: '10s',
  retry: { ...retry, maximumInterval: '5m' },
  summary: 'Tell the commit how the build ended',
});
