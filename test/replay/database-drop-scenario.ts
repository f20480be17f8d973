import {
  DATABASE_WORKFLOWS,
  type DropOutcome,
  type DropRequest,
  dropWorkflowId,
} from '../../domain/databases/messages.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const ID = 'postgres/shop_prod';

/** The database of a removed service, which is kept again until later once, and then dropped. */
export async function databaseDrop(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const first = new Date(Date.now() + 60_000).toISOString();
  const later = new Date(Date.now() + 120_000).toISOString();
  const dropKeptDatabase = async ({ dropAfter }: DropRequest): Promise<DropOutcome> =>
    dropAfter === first ? { kind: 'kept', dropAfter: later } : { kind: 'dropped' };
  const options = { taskQueue: 'databases', module: 'databases', activities: { dropKeptDatabase } };
  const workflowId = dropWorkflowId(ID);
  await withOwnWorker(temporal, options, (execute) =>
    execute(DATABASE_WORKFLOWS.dropDatabase, workflowId, [{ id: ID, dropAfter: first }]),
  );
  return { 'database-drop': workflowId };
}
