import { reconcileBuilds, reconcileWorkloads } from './activity-proxies.ts';

/**
 * Compares what the records say with what is: builds whose workflow is gone end as abandoned, active releases whose
 * workload stopped are started again. Runs every minute and when a worker starts (`schedules.ts`).
 */
export async function reconcileDeploys(): Promise<{ abandoned: readonly string[]; restarted: readonly string[] }> {
  const abandoned = await reconcileBuilds();
  const restarted = await reconcileWorkloads();
  return { abandoned, restarted };
}
