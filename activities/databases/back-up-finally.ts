import type { DropRequest } from '../../domain/databases/messages.ts';
import type { DatabaseRecords, FinalBackup } from '../../domain/databases/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';

export interface FinalBackupsDeps {
  readonly records: Pick<DatabaseRecords, 'find'>;
  readonly finalBackup: FinalBackup;
}

/** Something else has the database: soon it has not. */
const BUSY: readonly string[] = ['BACKUP_IN_PROGRESS', 'RESTORE_IN_PROGRESS'];

/**
 * Backs up a database before it is dropped, and waits until that has ended, in whatever way: `dropKeptDatabase` reads what came
 * of it. Nothing for one that is not to be dropped then any more. Idempotent: it joins the backup of that time.
 * @throws UNAVAILABLE (retryable) also while something else has the database
 */
export async function backUpFinally(
  { records, finalBackup }: FinalBackupsDeps,
  { id, dropAfter }: DropRequest,
  signal: AbortSignal,
): Promise<void> {
  const record = await records.find(id);
  if (record === null || record.consumes !== null) return;
  if (record.state === 'active' || record.dropAfter?.toISOString() !== dropAfter) return;
  try {
    await finalBackup.make(record, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof FairleadError) || !BUSY.includes(error.code)) throw error;
    throw new FairleadError('UNAVAILABLE', error.message, { retryable: true, cause: error });
  }
}

/**
 * The activities of the module `final-backups`: they wait for hours, and the queue of their own bounds how many backups before a
 * drop there are at once. So they take no place from a rotation, from a login that ends, or from a night.
 */
export function createFinalBackupsActivities(deps: FinalBackupsDeps) {
  return {
    backUpFinally: (request: DropRequest): Promise<void> =>
      whileHeartbeating((signal) => backUpFinally(deps, request, signal)),
  };
}

export type FinalBackupsActivities = ReturnType<typeof createFinalBackupsActivities>;
