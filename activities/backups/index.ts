import type { BackupProblem } from '../../domain/backups/backup.ts';
import type { BackupJob, CopyDropRequest, RestoreEnd, RestoreJob } from '../../domain/backups/messages.ts';
import { unmadeBackup } from '../../domain/backups/new-record.ts';
import type { Night } from '../../domain/backups/night.ts';
import type { PlaceInProofs } from '../../domain/backups/verification.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import { type AbandonedRestore, closeAbandoned, closeEarlierRestores, closeRestore } from './close-abandoned.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { dropKeptCopies, dropKeptCopy } from './drop-kept-copies.ts';
import { dumpDatabase, type FailedJob, failBackup, openBackup, pruneBackups } from './make-backup.ts';
import { type MirrorRun, mirrorArchives } from './mirror-archives.ts';
import { type NightPlan, type PlaceInNight, planNight } from './plan-night.ts';
import { ownBeginMs, ownProofScratches } from './proof-scratches.ts';
import { type NightReport, reportNight } from './report-night.ts';
import { bytesNote } from './report-progress.ts';
import { reportStale } from './report-stale.ts';
import {
  type EndedRestore,
  endRestore,
  enter,
  openRestore,
  restoreInPlace,
  restoreScratch,
  swapDatabases,
} from './restore-database.ts';
import { listBackupsToVerify, type ProofsPlan, verifyBackup } from './verify-backup.ts';

/** The activities of the workflows of backups; each can be repeated. */
export function createBackupsActivities(deps: BackupsActivityDeps) {
  /** Whoever restores has the workflow of the database: what others have left there is nobody's. */
  const afterOthers = (job: RestoreJob, restore: typeof restoreScratch): Promise<void> =>
    whileHeartbeating(async (signal, note) => {
      await closeEarlierRestores(deps, job, signal);
      await restore(deps, job, signal, bytesNote(note));
    });
  /** As above. What cannot be ended keeps no database from its backup, unless half of that is another one: then the tool says so. */
  const dump = (job: BackupJob): Promise<void> =>
    whileHeartbeating(async (signal, note) => {
      await closeEarlierRestores(deps, job, signal).catch(() => signal.throwIfAborted());
      await dumpDatabase(deps, job, signal, bytesNote(note));
    });
  return {
    openBackup: (job: BackupJob) => openBackup(deps, job),
    dumpDatabase: dump,
    failBackup: (failed: FailedJob): Promise<void> => failBackup(deps, failed),
    pruneBackups: (job: BackupJob): Promise<number> => whileHeartbeating((signal) => pruneBackups(deps, job, signal)),
    closeAbandoned: (): Promise<readonly AbandonedRestore[]> =>
      whileHeartbeating((signal) => closeAbandoned(deps, signal)),
    closeRestore: (restoreId: string): Promise<void> =>
      whileHeartbeating((signal) => closeRestore(deps, restoreId, signal)),
    planNight: (night: Night, after?: PlaceInNight): Promise<NightPlan> =>
      whileHeartbeating((signal) => planNight(deps, night, signal, after)),
    /** Records that a database was left out tonight. Idempotent: the first record stays. */
    skipBackup: async ({ job, problem }: FailedJob): Promise<void> => {
      await deps.backups.insert(unmadeBackup(job, 'skipped', problem));
    },
    reportNight: (report: NightReport): Promise<void> =>
      whileHeartbeating((signal) => reportNight(deps, report, signal)),
    reportStale: (night: Night): Promise<void> => whileHeartbeating((signal) => reportStale(deps, night, signal)),
    listBackupsToVerify: (night: Night, after?: PlaceInProofs): Promise<ProofsPlan> =>
      whileHeartbeating((signal) => listBackupsToVerify(deps, night, signal, { begunMs: ownBeginMs(), after })),
    verifyBackup: (backupId: string): Promise<BackupProblem | null> =>
      whileHeartbeating((signal) => verifyBackup(deps, backupId, signal, ownProofScratches())),
    mirrorArchives: (): Promise<MirrorRun | null> => whileHeartbeating((signal) => mirrorArchives(deps, signal)),
    dropKeptCopy: (request: CopyDropRequest): Promise<void> => whileHeartbeating(() => dropKeptCopy(deps, request)),
    dropKeptCopies: () => whileHeartbeating((signal) => dropKeptCopies(deps, signal)),
    openRestore: (job: RestoreJob) => openRestore(deps, job),
    beginSafetyBackup: (job: RestoreJob): Promise<void> => enter(deps, job, 'safety-backup'),
    restoreScratch: (job: RestoreJob): Promise<void> => afterOthers(job, restoreScratch),
    swapDatabases: (job: RestoreJob): Promise<void> => whileHeartbeating((signal) => swapDatabases(deps, job, signal)),
    restoreInPlace: (job: RestoreJob): Promise<void> => afterOthers(job, restoreInPlace),
    endRestore: (ended: EndedRestore): Promise<RestoreEnd> =>
      whileHeartbeating((signal) => endRestore(deps, ended, signal)),
  };
}

export type BackupsActivities = ReturnType<typeof createBackupsActivities>;
