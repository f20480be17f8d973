import { PRUNE_WORKFLOW_ID, serviceRemovalWorkflowId, WORKFLOW_TYPES } from '../../domain/deploys/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { createFakeActivities, type createTemporal } from '../workflows/deploys/harness.ts';

/** As the schedule names a run. */
const DAILY_PRUNE = 'prune-images-2026-01-01T04:00:00Z';

/** The periodic work of deploys with something to do in each, and the removal of a service. */
export async function upkeep(temporal: Awaited<ReturnType<typeof createTemporal>>) {
  const { activities } = createFakeActivities(temporal.directory, {
    reconcileBuilds: async () => ['bld_lost'],
    reconcileWorkloads: async () => ['rel_stopped'],
    pruneImages: async () => ({ removed: 3, reclaimedBytes: 1_000_000 }),
  });
  const execute = (type: string, workflowId: string, args: readonly unknown[] = []) =>
    temporal.client.workflow.execute(type, { taskQueue: TASK_QUEUE, workflowId, args: [...args] });
  const removal = serviceRemovalWorkflowId('hello');
  await temporal.withActivities(activities, async () => {
    await execute(WORKFLOW_TYPES.reconcileDeploys, 'reconcile-deploys');
    await execute(WORKFLOW_TYPES.pruneImages, PRUNE_WORKFLOW_ID);
    await execute(WORKFLOW_TYPES.pruneImages, DAILY_PRUNE);
    await execute(WORKFLOW_TYPES.removeService, removal, [{ id: 'svc_1', name: 'hello' }]);
  });
  return {
    'reconcile-deploys': 'reconcile-deploys',
    'prune-images': PRUNE_WORKFLOW_ID,
    'prune-images-daily': DAILY_PRUNE,
    'service-removal': removal,
  };
}
