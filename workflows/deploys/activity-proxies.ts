import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { DeploysActivities } from '../../activities/deploys/index.ts';
import type { StepInput, StepResult } from '../../activities/deploys/step.ts';
import type { StepDefinition } from '../../domain/deploys/steps.ts';

const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '15s' } as const;

/** Effects of a few milliseconds that change one document or send one message: no task queue in between. */
export const local = proxyLocalActivities<
  Pick<DeploysActivities, 'openBuild' | 'noteAttached' | 'readSourceProgress' | 'requestSlot'>
>({
  startToCloseTimeout: '10s',
  scheduleToCloseTimeout: '5m',
  retry: RETRY,
});

/** Effects that must happen whatever else fails: retried for a day, so that a database may be down for long. */
export function reliable(summary: string) {
  return proxyActivities<
    Pick<
      DeploysActivities,
      'finishBuild' | 'restorePrevious' | 'cleanUpAfterBuild' | 'removeService' | 'listClosedBuilds'
    >
  >({
    startToCloseTimeout: '5m',
    scheduleToCloseTimeout: '1d',
    heartbeatTimeout: '10s',
    retry: RETRY,
    summary,
  });
}

/** Looks at the remote repository; short, because a caller waits for it. */
export const { resolveHead } = proxyActivities<Pick<DeploysActivities, 'resolveHead'>>({
  startToCloseTimeout: '15s',
  scheduleToCloseTimeout: '20s',
  retry: { ...RETRY, maximumAttempts: 2 },
  summary: 'Resolve the head of the branch',
});

/** Periodic work of the schedules. */
export const { reconcileBuilds, reconcileWorkloads, pruneImages } = proxyActivities<
  Pick<DeploysActivities, 'reconcileBuilds' | 'reconcileWorkloads' | 'pruneImages'>
>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry: { ...RETRY, maximumAttempts: 3 },
});

/** The activity of one step, with the deadlines of its row in the step table. */
export function stepActivities(definition: StepDefinition): (input: StepInput) => Promise<StepResult> {
  const activities = proxyActivities<Record<string, (input: StepInput) => Promise<StepResult>>>({
    startToCloseTimeout: `${definition.attemptSeconds}s`,
    scheduleToCloseTimeout: `${definition.deadlineSeconds}s`,
    heartbeatTimeout: '10s',
    retry: RETRY,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: definition.title,
  });
  const activity = definition.activity === null ? undefined : activities[definition.activity];
  if (activity === undefined) throw new Error(`step ${definition.key} has no activity`);
  return activity;
}
