import type { PlatformBackupActivities } from '../../activities/platform-backup/index.ts';
import { FairleadError } from '../../domain/errors.ts';
import {
  PLATFORM_BACKUP_ID,
  PLATFORM_BACKUP_WORKFLOWS,
  type PlatformBackupJob,
} from '../../domain/platform-backup/messages.ts';
import { partName, platformParts } from '../../domain/platform-backup/parts.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const JOB: PlatformBackupJob = {
  ...{ id: 'pbk_recorded', kind: 'nightly', tier: 'daily', night: '2026-07-24', requestedBy: 'schedule' },
  ...{ startedAt: '2026-07-24T02:15:00.000Z', requestId: null },
};

/** A night whose backup is made, the backup itself, and one whose part is refused. */
export async function platformBackups(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const activities: Partial<PlatformBackupActivities> = {
    planPlatformNight: async () => ({ job: JOB, problems: ['No backup of the platform was made on 2026-07-23'] }),
    openPlatformBackup: async () => ({ parts: platformParts().slice(0, 2), timeoutMs: 7_200_000 }),
    storePlatformPart: async ({ part }) => ({
      name: partName(part),
      file: 'a.sealed',
      bytes: 1,
      sha256: '0'.repeat(64),
    }),
    completePlatformBackup: async () => undefined,
    failPlatformBackup: async () => undefined,
    prunePlatformBackups: async () => 0,
    reportPlatformNight: async () => undefined,
  };
  const { nightlyPlatformBackup, backUpPlatform } = PLATFORM_BACKUP_WORKFLOWS;
  const own = { taskQueue: 'platform-backup', module: 'platform-backup' };
  await withOwnWorker(temporal, { ...own, activities }, (execute) =>
    execute(nightlyPlatformBackup, 'nightly-platform-backup'),
  );
  const { runId } = await temporal.client.workflow.getHandle(PLATFORM_BACKUP_ID).describe();
  const refuse = async () => {
    throw new FairleadError('DUMP_FAILED', 'no', { retryable: false });
  };
  const failing = { ...activities, storePlatformPart: refuse };
  await withOwnWorker(temporal, { ...own, activities: failing }, (execute) =>
    execute(backUpPlatform, 'platform-backup-failed', [JOB]),
  );
  return {
    'nightly-platform-backup': 'nightly-platform-backup',
    'platform-backup': { workflowId: PLATFORM_BACKUP_ID, runId },
    'platform-backup-failed': 'platform-backup-failed',
  };
}
