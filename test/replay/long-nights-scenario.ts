import type { BackupsActivities } from '../../activities/backups/index.ts';
import { BACKUPS_WORKFLOWS, type BackupJob } from '../../domain/backups/messages.ts';
import { NIGHT_HOURS } from '../../workflows/backups/night-limit.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const night = '2026-07-24';
const begunAt = new Date(Date.now() - NIGHT_HOURS * 3_600_000).toISOString();

const JOB: BackupJob = {
  ...{ id: 'bak_late', serviceId: 'svc_shop', org: 'acme', service: 'shop', environment: 'prod' },
  ...{ engine: 'postgres', databaseName: 'shop_prod', kind: 'nightly', tier: 'daily', night },
  ...{ requestedBy: 'system', startedAt: begunAt, requestId: null },
};

const MORE = { isDue: true, triedAt: '', database: 'acme/shop', since: begunAt, left: 1 } as const;

/** A night of backups and one of proofs that are over before their rest has a turn, and proofs of two pages. */
export async function longNights(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const taskQueue = 'backups';
  const activities: Partial<BackupsActivities> = {
    ...{ reportStale: async () => undefined, reportNight: async () => undefined, skipBackup: async () => undefined },
    listBackupsToVerify: async (_, after) =>
      after == null
        ? { backupIds: ['bak_1'], more: MORE, timeoutMs: 60_000 }
        : { backupIds: ['bak_2'], more: null, timeoutMs: 60_000 },
    verifyBackup: async () => null,
  };
  return await withOwnWorker(temporal, { taskQueue, module: 'backups', activities }, async (execute) => {
    const tally = { completed: 1, failed: 0, skipped: 0 };
    const backups = { night, begunAt, jobs: [JOB], more: null, parallelism: 2, tally };
    await execute(BACKUPS_WORKFLOWS.nightlyBackups, 'nightly-backups-over', [backups]);
    const proofs = { night, begunAt, backupIds: ['bak_1'], more: null, timeoutMs: 60_000, problems: [] };
    const proven = { ...proofs, tally: { verified: 1, failed: 0 } };
    await execute(BACKUPS_WORKFLOWS.verifyBackups, 'verify-backups-over', [proven]);
    const workflowId = 'verify-backups-paged';
    const handle = await temporal.client.workflow.start(BACKUPS_WORKFLOWS.verifyBackups, { taskQueue, workflowId });
    await handle.result();
    return {
      'nightly-backups-over': 'nightly-backups-over',
      'verify-backups-over': 'verify-backups-over',
      // The first of its two runs.
      'verify-backups-paged': { workflowId, runId: handle.firstExecutionRunId },
    };
  });
}
