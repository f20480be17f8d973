import type { BackupProblem } from '../../domain/backups/backup.ts';
import type { BackupJob, RestoreJob } from '../../domain/backups/messages.ts';
import { unmadeBackup } from '../../domain/backups/new-record.ts';
import type { Night } from '../../domain/backups/night.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import { type AbandonedRestore, closeAbandoned, closeRestore } from './close-abandoned.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { dropKeptCopies } from './drop-kept-copies.ts';
import { dumpDatabase, type FailedJob, failBackup, openBackup, pruneBackups } from './make-backup.ts';
import { type MirrorRun, mirrorArchives } from './mirror-archives.ts';
import { type NightPlan, planNight } from './plan-night.ts';
import { type NightReport, reportNight } from './report-night.ts';
import {
  type EndedRestore,
  endRestore,
  enter,
  openRestore,
  restoreInPlace,
  restoreScratch,
  swapDatabases,
} from './restore-database.ts';
import { listBackupsToVerify, verifyBackup } from './verify-backup.ts';

/** The activities of the workflows of backups; each can be repeated. */
export function createBackupsActivities(deps: BackupsActivityDeps) {
  return {
    openBackup: (job: BackupJob) => openBackup(deps, job),
    dumpDatabase: (job: BackupJob): Promise<void> => whileHeartbeating((signal) => dumpDatabase(deps, job, signal)),
    failBackup: (failed: FailedJob): Promise<void> => failBackup(deps, failed),
    pruneBackups: (job: BackupJob): Promise<number> => whileHeartbeating((signal) => pruneBackups(deps, job, signal)),
    closeAbandoned: (): Promise<readonly AbandonedRestore[]> =>
      whileHeartbeating((signal) => closeAbandoned(deps, signal)),
    closeRestore: (restoreId: string): Promise<void> =>
      whileHeartbeating((signal) => closeRestore(deps, restoreId, signal)),
    planNight: (night: Night): Promise<NightPlan> => whileHeartbeating((signal) => planNight(deps, night, signal)),
    /** Records that a database was left out tonight. Idempotent: the first record stays. */
    skipBackup: async ({ job, problem }: FailedJob): Promise<void> => {
      await deps.backups.insert(unmadeBackup(job, 'skipped', problem));
    },
    reportNight: (report: NightReport): Promise<void> =>
      whileHeartbeating((signal) => reportNight(deps, report, signal)),
    listBackupsToVerify: (night: Night) => whileHeartbeating((signal) => listBackupsToVerify(deps, night, signal)),
    verifyBackup: (backupId: string): Promise<BackupProblem | null> =>
      whileHeartbeating((signal) => verifyBackup(deps, backupId, signal)),
    mirrorArchives: (): Promise<MirrorRun | null> => whileHeartbeating((signal) => mirrorArchives(deps, signal)),
    dropKeptCopies: () => whileHeartbeating((signal) => dropKeptCopies(deps, signal)),
    openRestore: (job: RestoreJob) => openRestore(deps, job),
    beginSafetyBackup: (job: RestoreJob): Promise<void> => enter(deps, job, 'safety-backup'),
    restoreScratch: (job: RestoreJob): Promise<void> =>
      whileHeartbeating((signal) => restoreScratch(deps, job, signal)),
    swapDatabases: (job: RestoreJob): Promise<void> => whileHeartbeating((signal) => swapDatabases(deps, job, signal)),
    restoreInPlace: (job: RestoreJob): Promise<void> =>
      whileHeartbeating((signal) => restoreInPlace(deps, job, signal)),
    endRestore: (ended: EndedRestore): Promise<void> => whileHeartbeating((signal) => endRestore(deps, ended, signal)),
  };
}

export type BackupsActivities = ReturnType<typeof createBackupsActivities>;
