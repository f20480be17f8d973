import type { BackupsActivities } from '../../../activities/backups/index.ts';
import { createBackupCommands } from '../../../adapters/temporal/backup-commands.ts';
import type { BackedUpDatabase } from '../../../domain/backups/backup.ts';
import { ASKED_BACKUPS, backupWorkflowId } from '../../../domain/backups/messages.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { type BackupsParts, createBackupsParts } from '../../support/in-memory/backups-parts.ts';
import { startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

/** What is done before the real activity of a name. */
export type Faults = Partial<Record<keyof BackupsActivities, () => Promise<void> | void>>;

/** Of each queue. */
export const SLOTS = 4;

/** The workflows of backups on a time-skipping server, with their real activities on parts in memory. */
export async function startBackups() {
  const env = await startTimeSkipping();
  const commands = createBackupCommands(env.client);
  /** Of the test that runs. */
  const current: { parts: BackupsParts; before: Faults } = { parts: await createBackupsParts(commands), before: {} };
  const names = Object.keys(current.parts.activities) as (keyof BackupsActivities)[];
  const activities = Object.fromEntries(
    names.map((name) => [
      name,
      async (...inputs: never[]) => {
        await current.before[name]?.();
        current.parts.clock.now = new Date(await env.currentTimeMs());
        return await (current.parts.activities[name] as (...inputs: never[]) => Promise<unknown>)(...inputs);
      },
    ]),
  );
  const worker = await startModuleWorker(env.nativeConnection, {
    ...{ module: 'backups', activities, slots: SLOTS },
    others: { [ASKED_BACKUPS]: { activities, slots: SLOTS } },
  });
  let runs = 0;
  return {
    ...{ env, commands, current },
    /** Runs a workflow of a schedule to its end. */
    run: <T>(workflowType: string, args: unknown[] = []): Promise<T> =>
      env.client.workflow.execute(workflowType, {
        workflowId: `${workflowType}-${runs++}`,
        taskQueue: TASK_QUEUE,
        args,
      }) as Promise<T>,
    ended: (database: BackedUpDatabase) => env.client.workflow.getHandle(backupWorkflowId(database)).result(),
    /** New parts in memory, and no faults. */
    async reset(): Promise<BackupsParts> {
      current.parts = await createBackupsParts(commands);
      current.parts.clock.now = new Date(await env.currentTimeMs());
      current.before = {};
      return current.parts;
    },
    async stop() {
      await worker.stop();
      await env.teardown();
    },
  };
}

export type TestBackups = Awaited<ReturnType<typeof startBackups>>;
