import { ActivityFailure, isCancellation, log, rootCause } from '@temporalio/workflow';
import { outcome } from '../../domain/git-hooks/delivery.ts';
import { recordOutcomes } from './activity-proxies.ts';

/** Deliveries that the next run of a workflow is told of: they fit into its input. */
const MOST_WAITING = 5_000;

/**
 * Before a workflow continues as new: of more deliveries than its input takes, the oldest are told with which newer one they
 * are looked at, and leave the list.
 * @param ref null for all branches and tags
 */
export async function tellOldest(waiting: string[], ref: string | null): Promise<void> {
  const oldest = waiting.splice(0, Math.max(0, waiting.length - MOST_WAITING));
  if (oldest.length === 0) return;
  const told = outcome('unchanged', { ref, message: `Looked at with ${waiting[0] ?? ''}` });
  await orNotRecorded(() => recordOutcomes({ deliveries: oldest, outcomes: [told] }));
}

/** What was pushed meanwhile is looked at all the same. */
export async function orNotRecorded(record: () => Promise<void>): Promise<void> {
  try {
    await record();
  } catch (error) {
    log.warn(`What a look decided was not recorded: ${reasonOf(error)}`);
  }
}

/** @throws what is no failure of an activity, such as a cancellation */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  return rootCause(error) ?? 'no reason is known';
}
