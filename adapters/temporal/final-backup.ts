import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BACKUP_ENGINES, type Backup } from '../../domain/backups/backup.ts';
import type { BackupCommands, BackupJob } from '../../domain/backups/messages.ts';
import type { BackupStore } from '../../domain/backups/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { FinalBackup, FinalBackupState } from '../../domain/databases/ports.ts';
import type { DatabaseRecord } from '../../domain/databases/record.ts';
import { FairleadError } from '../../domain/errors.ts';
import { formatId } from '../../domain/ids.ts';

const POLL_MS = 1_000;

export interface FinalBackupDeps {
  readonly backups: Pick<BackupStore, 'find'>;
  readonly commands: Pick<BackupCommands, 'backUp' | 'isUnderWay'>;
  readonly now: Clock;
  readonly pollMs?: number;
}

/**
 * Final backups by the workflow that makes all others, and proves these by a restore. Nothing prunes them: they are kept as
 * manual ones are. One of an id is made once: its id is of the database and the time to drop it.
 */
export function createFinalBackup({ backups, commands, now, pollMs = POLL_MS }: FinalBackupDeps): FinalBackup {
  return {
    async find(record) {
      const job = jobOf(record, now());
      if (job === null) return { kind: 'not backed up' };
      return stateOf(await backups.find(job.id));
    },
    async make(record, signal) {
      signal.throwIfAborted();
      const job = jobOf(record, now());
      if (job === null || isMade(await backups.find(job.id))) return;
      if (!(await commands.isUnderWay(job, job.id))) await commands.backUp(job);
      while (!(await hasEnded(job))) await delay(pollMs, undefined, { signal });
    },
  };

  /** @throws RESTORE_FAILED for one that has ended, and was not proven */
  async function hasEnded(job: BackupJob): Promise<boolean> {
    const backup = await backups.find(job.id);
    if (isMade(backup)) return true;
    if (backup?.status !== 'completed' || (await commands.isUnderWay(job, job.id))) return false;
    // It may have been proven just before its workflow ended.
    if (isMade(await backups.find(job.id))) return true;
    const text = `The final backup ${job.id} could not be restored for proof: see the log of the worker`;
    throw new FairleadError('RESTORE_FAILED', text);
  }
}

const isMade = (backup: Backup | null): boolean => stateOf(backup).kind !== 'not made';

function stateOf(backup: Backup | null): FinalBackupState {
  if (backup === null || backup.status === 'running') return { kind: 'not made' };
  const { id, objectKey, problem, verification } = backup;
  if (objectKey === null) {
    return { kind: 'failed', reason: `The final backup ${id} failed: ${problem?.message ?? 'no reason is known'}` };
  }
  // What nobody has restored is no reason to drop a database.
  if (verification === null) return { kind: 'not made' };
  if (verification.problem === null) return { kind: 'stored', backupId: id, objectKey };
  return { kind: 'failed', reason: `The final backup ${id} cannot be restored: ${verification.problem.message}` };
}

/** Null for an engine that is not backed up. */
function jobOf(record: DatabaseRecord, now: Date): BackupJob | null {
  const engine = BACKUP_ENGINES.find((each) => each === record.engine);
  if (engine === undefined) return null;
  const { id, database, dropAfter, service, environment, serviceId, org } = record;
  const text = `final ${id} ${dropAfter?.toISOString() ?? ''}`;
  return {
    id: formatId('backup', createHash('sha256').update(text).digest()),
    ...{ engine, databaseName: database, service, environment, serviceId, org },
    ...{ kind: 'final', tier: 'manual', night: null, requestedBy: 'schedule', requestId: null },
    startedAt: now.toISOString(),
  };
}
