import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BACKUP_ENGINES, type Backup } from '../../domain/backups/backup.ts';
import type { BackupCommands, BackupJob } from '../../domain/backups/messages.ts';
import type { BackupStore } from '../../domain/backups/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { FinalBackup, FinalBackupState } from '../../domain/databases/ports.ts';
import type { DatabaseRecord } from '../../domain/databases/record.ts';
import { formatId } from '../../domain/ids.ts';

const POLL_MS = 1_000;

export interface FinalBackupDeps {
  readonly backups: Pick<BackupStore, 'find'>;
  readonly commands: Pick<BackupCommands, 'backUp' | 'isUnderWay'>;
  readonly now: Clock;
  readonly pollMs?: number;
}

/**
 * Final backups by the workflow that makes all others. Nothing prunes them: they are kept as manual ones are. One of an id
 * is made once: its id is of the database and the time to drop it.
 */
export function createFinalBackup({ backups, commands, now, pollMs = POLL_MS }: FinalBackupDeps): FinalBackup {
  return {
    async find(record) {
      const job = jobOf(record, now());
      if (job === null) return { kind: 'not backed up' };
      const backup = await backups.find(job.id);
      return backup === null || backup.status === 'running' ? { kind: 'not made' } : stateOf(backup);
    },
    async make(record, signal) {
      const job = jobOf(record, now());
      if (job === null) return;
      for (let isAsked = false; ; ) {
        signal.throwIfAborted();
        const backup = await backups.find(job.id);
        if (backup !== null && backup.status !== 'running') return;
        if (!isAsked && !(await commands.isUnderWay(job, job.id))) await commands.backUp(job);
        isAsked = true;
        await delay(pollMs, undefined, { signal });
      }
    },
  };
}

function stateOf({ id, objectKey, problem }: Backup): FinalBackupState {
  if (objectKey !== null) return { kind: 'stored', backupId: id, objectKey };
  return { kind: 'failed', reason: `The final backup ${id} failed: ${problem?.message ?? 'no reason is known'}` };
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
