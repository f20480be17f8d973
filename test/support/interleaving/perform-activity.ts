import { ApplicationFailure } from '@temporalio/common';
import type { DeploysActivities } from '../../../activities/deploys/index.ts';
import { createActivityInterceptor } from '../../../adapters/temporal/activity-interceptor.ts';
import { asActivity } from '../../activities/deploys/as-activity.ts';
import type { ActivityTask } from '../workflow-model/execution.ts';
import type { Outcome } from '../workflow-model/outcomes.ts';
import type { Attempt } from './scheduler.ts';

type Activities = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** What the server sees of an attempt whose worker is away. */
const LOST = { error: ApplicationFailure.retryable('the worker is away', 'UNAVAILABLE') };

/**
 * Attempts of an activity, until one ends it, as the server makes them. One whose worker is killed or paused is made again;
 * what was paused goes on later.
 */
export async function performActivity(
  task: ActivityTask,
  attempts: {
    readonly begin: () => Attempt;
    readonly activities: (attempt: Attempt) => DeploysActivities;
  },
): Promise<Outcome> {
  for (let number = 1; ; number += 1) {
    const attempt = attempts.begin();
    const activities = attempts.activities(attempt) as unknown as Activities;
    const work = asActivity(() => asInWorker(() => activities[task.type]?.(...task.args)), {
      attempt: number,
      begun: (cancel) => {
        task.onCancel = cancel;
        if (task.isCancelRequested) cancel();
      },
    });
    const ended = work.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const outcome = await Promise.race([ended, attempt.lost.then(() => LOST)]);
    if ('value' in outcome) return { kind: 'completed', value: outcome.value };
    const { error } = outcome;
    const isFinal = error instanceof ApplicationFailure && error.nonRetryable === true;
    if (task.isCancelRequested && !isFinal) return { kind: 'cancelled' };
    const isLast = task.isOver || number === task.maximumAttempts;
    if (isFinal || isLast) return { kind: 'failed', error: error as Error };
  }
}

/** Failures as a worker tells them to Temporal. */
async function asInWorker(work: () => Promise<unknown> | undefined): Promise<unknown> {
  const interceptor = createActivityInterceptor(() => 'the log');
  return await interceptor.execute?.({ args: [], headers: {} }, async () => await work());
}
