import type { BackupsActivities } from '../../activities/backups/index.ts';
import { BACKUPS_WORKFLOWS } from '../../domain/backups/messages.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const BACKUPS = Array.from({ length: 16 }, (_, index) => `bak_many_${index}`);

/** So many backups are proven in a night that the workflow continues as new. */
export async function manyProofs(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const activities: Partial<BackupsActivities> = {
    reportStale: async () => undefined,
    listBackupsToVerify: async () => ({ backupIds: BACKUPS, more: null, timeoutMs: 60_000 }),
    verifyBackup: async (id) => (id === BACKUPS[1] ? { code: 'NOT_RESTORABLE', message: 'rotten' } : null),
    reportNight: async () => undefined,
  };
  const taskQueue = 'backups';
  return await withOwnWorker(temporal, { taskQueue, module: 'backups', activities }, async () => {
    const workflowId = 'verify-backups-continued';
    const handle = await temporal.client.workflow.start(BACKUPS_WORKFLOWS.verifyBackups, { taskQueue, workflowId });
    await handle.result();
    const { runId: last } = await temporal.client.workflow.getHandle(workflowId).describe();
    return {
      // The first of its runs, which continued as new, and the last, which began with what was left.
      'verify-backups-continued': { workflowId, runId: handle.firstExecutionRunId },
      'verify-backups-left': { workflowId, runId: last },
    };
  });
}
