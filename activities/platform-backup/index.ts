import type { Night } from '../../domain/backups/night.ts';
import type { ManifestPart } from '../../domain/platform-backup/manifest.ts';
import type { PlatformBackupJob } from '../../domain/platform-backup/messages.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import type { PlatformBackupDeps } from './deps.ts';
import {
  type CompletedParts,
  completeBackup,
  type FailedPlatformBackup,
  failBackup,
  pruneBackups,
} from './end-backup.ts';
import { type PlatformNight, planNight, reportNight } from './night.ts';
import { type OpenedPlatformBackup, openBackup } from './open-backup.ts';
import { type PartJob, storePart } from './store-part.ts';

/** The activities of backups of the platform; each can be repeated. No key and no content passes through a workflow. */
export function createPlatformBackupActivities(deps: PlatformBackupDeps) {
  return {
    openPlatformBackup: (job: PlatformBackupJob): Promise<OpenedPlatformBackup> => openBackup(deps, job),
    storePlatformPart: (work: PartJob): Promise<ManifestPart> =>
      whileHeartbeating((signal, note) => storePart(deps, work, signal, (bytes) => note({ bytes }))),
    completePlatformBackup: (done: CompletedParts): Promise<void> =>
      whileHeartbeating((signal) => completeBackup(deps, done, signal)),
    failPlatformBackup: (failed: FailedPlatformBackup): Promise<void> =>
      whileHeartbeating((signal) => failBackup(deps, failed, signal)),
    prunePlatformBackups: (): Promise<number> => whileHeartbeating((signal) => pruneBackups(deps, signal)),
    planPlatformNight: (night: Night): Promise<PlatformNight> => planNight(deps, night),
    reportPlatformNight: (report: { readonly night: Night; readonly problems: readonly string[] }): Promise<void> =>
      reportNight(deps, report),
  };
}

export type PlatformBackupActivities = ReturnType<typeof createPlatformBackupActivities>;
