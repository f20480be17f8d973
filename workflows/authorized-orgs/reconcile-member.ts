import { log, proxyActivities, rootCause } from '@temporalio/workflow';
import type { SharingActivities } from '../../activities/authorized-orgs/index.ts';
import type { Member } from '../../domain/authorized-orgs/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const { reconcileRepositories } = proxyActivities<SharingActivities>({
  taskQueue: moduleTaskQueue('authorized-orgs'),
  startToCloseTimeout: '10m',
  scheduleToCloseTimeout: '1h',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m', maximumAttempts: 8 },
});

/**
 * Makes the git host agree with what the org of a person may use (spec 2, "Authorized orgs", 4); id
 * `git-access/<org>/<user>`. Nothing waits for it: after some attempts the next deploy of the person tries again.
 */
export async function reconcileMember(member: Member): Promise<void> {
  try {
    await reconcileRepositories(member);
  } catch (error) {
    log.warn(`The git host was not brought up to date: ${rootCause(error) ?? 'no reason is known'}`);
  }
}
