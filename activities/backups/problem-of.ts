import type { BackupProblem } from '../../domain/backups/backup.ts';
import { FairleadError } from '../../domain/errors.ts';

/** What a record says of an error. Only messages of domain errors are written for people: any other may hold secrets. */
export function problemOf(error: unknown): BackupProblem {
  if (error instanceof FairleadError) return { code: error.code, message: error.message };
  return { code: 'INTERNAL', message: 'Unexpected error; see the log of the worker' };
}
