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
const SAVED = 'postgres/saved_prod';

/** The databases of a removed service: one that is kept again until later once, and then dropped; one that is backed up first. */
export async function databaseDrop(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const first = new Date(Date.now() + 60_000).toISOString();
  const later = new Date(Date.now() + 120_000).toISOString();
  const dropKeptDatabase = async ({ id, dropAfter, problem }: DropRequest): Promise<DropOutcome> => {
    if (id === SAVED && problem === undefined) return { kind: 'backup first' };
    return id === ID && dropAfter === first ? { kind: 'kept', dropAfter: later } : { kind: 'dropped' };
  };
  const measureKeptDatabase = async (): Promise<void> => undefined;
  const backUpFinally = async (): Promise<void> => undefined;
  const options = {
    ...{ taskQueue: 'databases', module: 'databases', activities: { dropKeptDatabase, measureKeptDatabase } },
    others: { 'final-backups': { activities: { backUpFinally }, slots: 1 } },
  };
  await withOwnWorker(temporal, options, async (execute) => {
    for (const id of [ID, SAVED]) {
      await execute(DATABASE_WORKFLOWS.dropDatabase, dropWorkflowId(id), [{ id, dropAfter: first }]);
    }
  });
  return { 'database-drop': dropWorkflowId(ID), 'database-drop-backed-up': dropWorkflowId(SAVED) };
}
