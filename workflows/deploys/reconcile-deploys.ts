import { patched } from '@temporalio/workflow';
import { pruneWhenDiskIsLow, reconcileBuilds, reconcileWorkloads } from './activity-proxies.ts';

/**
 * Compares what the records say with what is: builds whose workflow is gone end as abandoned, services that do not serve
 * as recorded are repaired by their coordinators, old images are pruned when the disk is low. Runs every minute and when a worker
 * starts (`schedules.ts`). A part that fails hinders no other, and fails the run at its end, so that it is seen there.
 */
export async function reconcileDeploys(): Promise<{ abandoned: readonly string[]; repairing: readonly string[] }> {
  const [builds] = await Promise.allSettled([reconcileBuilds()]);
  const [workloads, disk] = await Promise.allSettled([
    reconcileWorkloads(),
    patched('prune-when-disk-is-low') ? pruneWhenDiskIsLow() : null,
  ]);
  if (builds.status === 'rejected') throw builds.reason;
  if (workloads.status === 'rejected') throw workloads.reason;
  if (disk.status === 'rejected') throw disk.reason;
  return { abandoned: builds.value, repairing: workloads.value };
}
