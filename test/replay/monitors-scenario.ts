import { FairleadError } from '../../domain/errors.ts';
import { MONITOR_WORKFLOWS, rollUpWorkflowId } from '../../domain/monitors/messages.ts';
import { SHARDS } from '../../domain/monitors/monitor.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const FAILING = 1;

/** A round of roll-ups, of which one fails, and a reconcile. */
export async function monitorUpkeep(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const activities = {
    rollUpShard: async (shard: number) => {
      if (shard === FAILING) throw new FairleadError('INTERNAL', 'a mistake in the program');
      return 1;
    },
    tellRollUpFailed: async () => undefined,
    reconcileMonitors: async () => ({ known: 3, archived: 1, returned: 0, problem: null }),
    removeArchivedMonitors: async () => 0,
  };
  await withOwnWorker(temporal, { taskQueue: 'monitors', module: 'monitors', activities }, async (execute) => {
    await execute(MONITOR_WORKFLOWS.rollUpMonitors, 'roll-up-monitors');
    const ends = Array.from({ length: SHARDS }, (_, shard) =>
      temporal.client.workflow.getHandle(rollUpWorkflowId(shard)).result(),
    );
    await Promise.allSettled(ends);
    await execute(MONITOR_WORKFLOWS.reconcileMonitors, 'reconcile-monitors');
  });
  return {
    'roll-up-monitors': 'roll-up-monitors',
    'roll-up-shard': rollUpWorkflowId(0),
    'roll-up-shard-failed': rollUpWorkflowId(FAILING),
    'reconcile-monitors': 'reconcile-monitors',
  };
}
