import { ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { BackupProblem } from '../domain/backups/backup.ts';
import { isErrorCode } from '../domain/errors.ts';

/** Why a backup or restore failed, as its record says it. */
export function describeProblem(error: unknown): BackupProblem {
  if (isCancellation(error)) return { code: 'CANCELLED', message: 'It was cancelled' };
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
      return { code: cause.type, message: cause.message };
    }
    if (cause instanceof TimeoutFailure && !(cause.cause instanceof ApplicationFailure)) {
      const message = 'It did not end within BACKUP_DUMP_TIMEOUT_MS, or no worker was there to go on with it';
      return { code: 'STEP_DEADLINE_EXCEEDED', message };
    }
  }
  return { code: 'INTERNAL', message: 'Unexpected error; see the log of the worker' };
}
