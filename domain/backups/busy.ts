import { FairleadError } from '../errors.ts';
import { type BackedUpDatabase, targetName } from './backup.ts';
import type { UnderWay } from './messages.ts';

/**
 * A backup or restore of the database is under way (spec 2, "Errors", 409 BACKUP_IN_PROGRESS).
 * @param running null for one that ended just then: the caller tries again
 */
export function busyDatabase(database: BackedUpDatabase, running: UnderWay | null): FairleadError {
  const name = `${targetName(database)} (${database.engine})`;
  if (running === null) {
    return new FairleadError('CONFLICT', `A backup or restore of ${name} ended just now; try again`, {
      retryable: true,
    });
  }
  const { kind, id, startedAt } = running;
  const details = kind === 'backup' ? { backupId: id, startedAt } : { restoreId: id, startedAt };
  const code = kind === 'backup' ? 'BACKUP_IN_PROGRESS' : 'RESTORE_IN_PROGRESS';
  return new FairleadError(code, `A ${kind} of ${name} is running since ${startedAt}: wait for ${id}, or cancel it`, {
    details,
  });
}
