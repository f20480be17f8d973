import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';

const HEARTBEAT_INTERVAL_MS = 500;

/**
 * Runs work while telling Temporal every half second, or as often as is said, that it is alive; cancellation arrives as an
 * abort. A worker that shuts down ends the attempt, and another worker makes the next one.
 *
 * @param work may note how far it is: Temporal shows the newest note of an attempt that runs
 */
export async function whileHeartbeating<T>(
  work: (signal: AbortSignal, note: (details: unknown) => void) => Promise<T>,
  { everyMs = HEARTBEAT_INTERVAL_MS } = {},
): Promise<T> {
  const context = Context.current();
  // A local activity has no heartbeat: the worker that runs it also runs its workflow.
  let details: unknown;
  const beat = (): void => (context.info.isLocal ? undefined : context.heartbeat(details));
  beat();
  const timer = setInterval(beat, everyMs);
  const signal = context.cancellationSignal;
  try {
    return await work(signal, (noted) => {
      details = noted;
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    const reason: unknown = signal.reason;
    if (reason instanceof CancelledFailure && reason.message !== 'WORKER_SHUTDOWN') throw reason;
    throw ApplicationFailure.create({ message: 'The worker shut down during the activity.', type: 'WORKER_SHUTDOWN' });
  } finally {
    clearInterval(timer);
  }
}
