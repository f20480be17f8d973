import { ActivityCancellationType, patched, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { DeploysActivities } from '../../activities/deploys/index.ts';
import type { StepInput, StepResult } from '../../activities/deploys/step.ts';
import type { NoResultInput } from '../../activities/deploys/steps/run-gated-tests.ts';
import type { BuildFailure, BuildRequest, PlannedStep } from '../../domain/deploys/build.ts';
import type { Decision, DecisionInput } from '../../domain/deploys/build-wait.ts';
import type { StepNoResult, StepRun, StepUndo, StepWait } from '../../domain/deploys/step-run.ts';

const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '15s' } as const;

/** Effects of a few milliseconds that change one document or send one message: no task queue in between. */
export const local = proxyLocalActivities<
  Pick<
    DeploysActivities,
    'openBuild' | 'openRestart' | 'noteAttached' | 'readSourceProgress' | 'requestSlot' | 'takeEpoch'
  >
>({
  startToCloseTimeout: '10s',
  scheduleToCloseTimeout: '5m',
  retry: RETRY,
});

const byQueue = proxyActivities<Pick<DeploysActivities, 'requestSlot'>>({
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '1d',
  retry: RETRY,
  summary: 'Ask for a build slot',
});

/**
 * Asks the workflow that grants slots. No local activity: it keeps a place for workflow tasks while it waits, and of many
 * builds that start together, those kept all the places of a worker, so that the workflow that they asked had none.
 */
export async function requestSlot(
  ...[request]: Parameters<DeploysActivities['requestSlot']>
): ReturnType<DeploysActivities['requestSlot']> {
  return await (patched('slot-by-queue') ? byQueue : local).requestSlot(request);
}

/** Effects that must happen whatever else fails: retried for a day, so that a database may be down for long. */
export function reliable(summary: string) {
  return proxyActivities<
    Pick<
      DeploysActivities,
      'failOpen' | 'finishBuild' | 'cleanUpAfterBuild' | 'removeService' | 'removeTarget' | 'listClosedBuilds'
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

/**
 * Repairs one service. The time is enough to pull an image; who still waits is asked again by the next comparison. Who
 * cancels does not wait for its end: its epoch is over as soon as the next one is taken.
 */
export const { repairTarget } = proxyActivities<Pick<DeploysActivities, 'repairTarget'>>({
  startToCloseTimeout: '3m',
  scheduleToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry: { ...RETRY, maximumAttempts: 3 },
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  summary: 'Repair what serves',
});

/** Periodic work of the schedules. */
export const { reconcileBuilds, reconcileWorkloads, pruneImages, pruneWhenDiskIsLow } = proxyActivities<
  Pick<DeploysActivities, 'reconcileBuilds' | 'reconcileWorkloads' | 'pruneImages' | 'pruneWhenDiskIsLow'>
>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry: { ...RETRY, maximumAttempts: 3 },
});

/** Has a build that waits for a decision give its slot back. */
export const { pauseBuild } = proxyActivities<Pick<DeploysActivities, 'pauseBuild'>>({
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '1d',
  heartbeatTimeout: '10s',
  retry: RETRY,
  summary: 'Give the build slot back',
});

/** What reads whether somebody decided what a step waits for. Soon over: a request or a cancellation may come meanwhile. */
export function decisionActivity(
  { title }: PlannedStep,
  { read }: StepWait,
): (input: DecisionInput) => Promise<Decision> {
  const activities = proxyActivities<Record<string, (input: DecisionInput) => Promise<Decision>>>({
    startToCloseTimeout: '30s',
    scheduleToCloseTimeout: '2m',
    heartbeatTimeout: '10s',
    retry: RETRY,
    summary: `Read the decision: ${title}`,
  });
  return byName(activities, read);
}

type StepActivity = (input: StepInput) => Promise<StepResult>;

/** The activity of one step, with the deadlines that its plan recorded. */
export function stepActivity({ title }: PlannedStep, run: StepRun): StepActivity {
  const options = {
    startToCloseTimeout: `${run.attemptSeconds}s`,
    scheduleToCloseTimeout: `${run.deadlineSeconds}s`,
    retry: RETRY,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: title,
  } as const;
  const activities = run.local
    ? proxyLocalActivities<Record<string, StepActivity>>(options)
    : proxyActivities<Record<string, StepActivity>>({
        ...options,
        heartbeatTimeout: `${Math.min(10, run.attemptSeconds)}s`,
      });
  return byName(activities, run.activity);
}

/**
 * What undoes a step. Retried for a while; then the build ends with the failure in its record, and the periodic
 * comparison of records with workloads goes on repairing.
 */
export function undoActivity({ title }: PlannedStep, { activity }: StepUndo): (build: BuildRequest) => Promise<void> {
  const activities = proxyActivities<Record<string, (build: BuildRequest) => Promise<void>>>({
    startToCloseTimeout: '5m',
    scheduleToCloseTimeout: '15m',
    heartbeatTimeout: '10s',
    retry: RETRY,
    summary: `Undo: ${title}`,
  });
  return byName(activities, activity);
}

/** What is done where a step ended without a result; see `StepNoResult`. */
export function noResultActivity(
  { title }: PlannedStep,
  { activity }: StepNoResult,
): (input: NoResultInput) => Promise<BuildFailure> {
  const activities = proxyActivities<Record<string, (input: NoResultInput) => Promise<BuildFailure>>>({
    startToCloseTimeout: '1m',
    scheduleToCloseTimeout: '15m',
    heartbeatTimeout: '10s',
    retry: RETRY,
    summary: `Without a result: ${title}`,
  });
  return byName(activities, activity);
}

function byName<F>(activities: Readonly<Record<string, F>>, name: string): F {
  const activity = activities[name];
  if (activity === undefined) throw new Error(`no activity is called ${name}`);
  return activity;
}
