import { patched, proxyActivities } from '@temporalio/workflow';
import type { SharingActivities } from '../../activities/authorized-orgs/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const { reconcileAllRepositories, finishTakingOut } = proxyActivities<SharingActivities>({
  taskQueue: moduleTaskQueue('authorized-orgs'),
  startToCloseTimeout: '30m',
  // A worker that has no git host takes none of them; the next hour asks again.
  scheduleToCloseTimeout: '50m',
  retry: { initialInterval: '10s', backoffCoefficient: 2, maximumInterval: '5m', maximumAttempts: 5 },
});

/**
 * Makes the git host agree with every list of orgs, on a schedule: who left an org that shares a service acts there no
 * more, so that no request of theirs begins it (spec 2, "Authorized orgs", 3). Takes from orgs that were taken out what the
 * workflow of that change left, which somebody terminated.
 */
export async function reconcileGitAccess(): Promise<void> {
  const works = [reconcileAllRepositories()];
  if (patched('finish-taking-out')) works.push(finishTakingOut());
  for (const outcome of await Promise.allSettled(works)) if (outcome.status === 'rejected') throw outcome.reason;
}
