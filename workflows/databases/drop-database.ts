import { proxyActivities, sleep } from '@temporalio/workflow';
import type { DatabasesActivities } from '../../activities/databases/index.ts';
import type { DropOutcome, DropRequest } from '../../domain/databases/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const { dropKeptDatabase } = proxyActivities<DatabasesActivities>({
  taskQueue: moduleTaskQueue('databases'),
  startToCloseTimeout: '3h',
  heartbeatTimeout: '1m',
  retry: { initialInterval: '10s', backoffCoefficient: 2, maximumInterval: '10m' },
  summary: 'Drop a database of a removed service',
});

/**
 * Waits until the database of a removed service may be dropped, and drops it, unless a service has it again by then; id
 * `database-drop/<engine>/<database>`, so that a database has one such time.
 */
export async function dropDatabase(request: DropRequest): Promise<DropOutcome> {
  let { dropAfter } = request;
  for (;;) {
    await sleep(Math.max(0, Date.parse(dropAfter) - Date.now()));
    const outcome = await dropKeptDatabase({ id: request.id, dropAfter });
    if (outcome.kind !== 'kept') return outcome;
    dropAfter = outcome.dropAfter;
  }
}
