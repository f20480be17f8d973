import { createBackupCommands } from '../../adapters/temporal/backup-commands.ts';
import {
  ASKED_BACKUPS,
  BACKUPS_WORKFLOWS,
  type BackupJob,
  backupWorkflowId,
  type RestoreJob,
} from '../../domain/backups/messages.ts';
import { runningRestore } from '../../domain/backups/new-record.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createBackupsParts } from '../support/in-memory/backups-parts.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

/**
 * A backup by hand, a final one, one that fails, and one that is cancelled; a night, its proof, its copy, and the drop of what restores
 * kept; a restore of either kind, and one that fails; a night after a restore whose workflow is gone, and one of two pages.
 */
export async function backups(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const { client } = temporal;
  const commands = createBackupCommands(client);
  const parts = await createBackupsParts(commands);
  const { activities } = parts;
  const { postgres } = parts.deps.tools;
  const recordings: Record<string, { workflowId: string; runId: string }> = {};
  const ended = async (name: string, job: BackupJob | RestoreJob): Promise<void> => {
    const workflowId = backupWorkflowId(job);
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    await client.workflow
      .getHandle(workflowId, runId)
      .result()
      .catch(() => undefined);
    recordings[name] = { workflowId, runId };
  };
  const backUp = async (name: string, change: Partial<BackupJob> = {}): Promise<BackupJob> => {
    const job = parts.job(change);
    await commands.backUp(job);
    await ended(name, job);
    return job;
  };
  const restore = async (name: string, job: RestoreJob): Promise<void> => {
    await commands.restore(job);
    await ended(name, job);
  };
  const nights = [
    'nightly-backups',
    'nightly-backups-abandoned',
    'verify-backups-stale',
    'mirror-backups',
    'drop-kept-databases',
    'drop-kept-copy',
  ];
  const others = { [ASKED_BACKUPS]: { activities, slots: 4 } };
  const worker = { taskQueue: 'backups', module: 'backups', activities, others };
  await withOwnWorker(temporal, worker, async (execute) => {
    const { id } = await backUp('backup-database');
    await backUp('backup-final', { kind: 'final' });
    await restore('restore-by-swap', parts.restoreJob(id));
    await restore('restore-in-place', parts.restoreJob(id, { mode: 'in-place', safetyBackupId: 'bak_safety' }));
    await restore('restore-refused', parts.restoreJob('bak_nobody'));
    const fail = async () => {
      throw new FairleadError('DUMP_FAILED', 'pg_dump: error: out of memory');
    };
    postgres.faults.set('shop_prod', fail);
    await backUp('backup-failed');
    await execute(BACKUPS_WORKFLOWS.nightlyBackups, 'nightly-backups');
    const begun = Promise.withResolvers<void>();
    postgres.faults.set('shop_prod', () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const job = parts.job();
    await commands.backUp(job);
    await begun.promise;
    await commands.cancel(job, job.id);
    await ended('backup-cancelled', job);
    postgres.faults.clear();
    // Of a database that is gone by now, so that no backup has the workflow id afterwards.
    const abandoned = parts.restoreJob(id, { environment: 'uat', databaseName: 'shop_uat' });
    await parts.deps.restores.insert(runningRestore(abandoned));
    await execute(BACKUPS_WORKFLOWS.nightlyBackups, 'nightly-backups-abandoned');
    await ended('abandoned-restore', abandoned);
    // Its first run: it goes on as new with the next page.
    parts.deps.settings.nightPage = 1;
    const paged = { taskQueue: 'backups', workflowId: 'nightly-backups-paged' };
    const handle = await client.workflow.start(BACKUPS_WORKFLOWS.nightlyBackups, paged);
    await handle.result();
    recordings[paged.workflowId] = { workflowId: paged.workflowId, runId: handle.firstExecutionRunId };
    await execute(BACKUPS_WORKFLOWS.verifyBackups, 'verify-backups-stale');
    await execute(BACKUPS_WORKFLOWS.mirrorBackups, 'mirror-backups');
    await execute(BACKUPS_WORKFLOWS.dropKeptDatabases, 'drop-kept-databases');
    const drop = { restoreId: 'rst_nobody', requestedBy: 'usr_ann', requestId: 'req_1' };
    await execute(BACKUPS_WORKFLOWS.dropKeptCopy, 'drop-kept-copy', [drop]);
  });
  return { ...recordings, ...Object.fromEntries(nights.map((name) => [name, name])) };
}
