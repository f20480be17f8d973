import type { DatabaseEngine } from '../../domain/databases/engines.ts';
import type { DropOutcome, DropRequest } from '../../domain/databases/messages.ts';
import type { DatabaseRecords, DatabaseServer, FinalBackup } from '../../domain/databases/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';

export interface DatabasesDeps {
  readonly records: DatabaseRecords;
  readonly servers: Readonly<Partial<Record<DatabaseEngine, DatabaseServer>>>;
  /** Null where this installation takes no backups: then a kept database is dropped without one. */
  readonly finalBackup: FinalBackup | null;
}

/**
 * The activities of the workflows of databases.
 *
 * - Keying: one workflow a kept database (`database-drop/<engine>/<database>`).
 * - Retries: for as long as a server is away. What was begun goes on: the record says that it is being dropped.
 * - Compensation: none; a drop is not undone. Until it begins, its org gets the database back with a deploy.
 */
export function createDatabasesActivities(deps: DatabasesDeps) {
  return {
    dropKeptDatabase: (request: DropRequest) => whileHeartbeating((signal) => dropKeptDatabase(deps, request, signal)),
  };
}

export type DatabasesActivities = ReturnType<typeof createDatabasesActivities>;

/**
 * Drops a database whose time has come, after its final backup. Idempotent: from the first write on nobody else gets it,
 * and what is gone stays gone.
 * @throws UNAVAILABLE while its server is away, or is not configured any more
 */
export async function dropKeptDatabase(
  { records, servers, finalBackup }: DatabasesDeps,
  { id, dropAfter }: DropRequest,
  signal: AbortSignal,
): Promise<DropOutcome> {
  const record = await records.find(id);
  if (record === null) return { kind: 'dropped' };
  if (record.state === 'active' || record.dropAfter === null) return { kind: 'in use' };
  if (record.dropAfter.toISOString() !== dropAfter) return { kind: 'kept', dropAfter: record.dropAfter.toISOString() };
  const server = servers[record.engine];
  if (server === undefined) {
    const text = `The database ${record.database} is dropped once its server is configured again.`;
    throw new FairleadError('UNAVAILABLE', text, { retryable: true });
  }
  if (!(await records.startDropping(id, record.dropAfter))) return { kind: 'in use' };
  await finalBackup?.(record, signal);
  await server.drop(record.database, signal);
  await records.removeDropped(id);
  return { kind: 'dropped' };
}
