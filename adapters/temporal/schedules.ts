import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { ScheduleDefinition } from '../../domain/schedule.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';

/** In the memo of what a schedule starts: it is ours, and made by this version. */
const MARK = 'fairlead';

/** Versions before 0.2 left no mark. Nobody else can have a schedule by these ids beside them. */
const UNMARKED_IDS: ReadonlySet<string> = new Set([
  ...['reconcile-deploys', 'prune-images', 'rotate-signing-keys'],
  ...['write-checkpoints', 'anchor-night', 'check-anchors'],
]);
const UNMARKED_VERSION = '0.0.0';

export interface ScheduleTable {
  /** Of the modules that this worker serves. */
  readonly served: readonly ScheduleDefinition[];
  /** Of all modules: what is in none of them is deleted. */
  readonly all: readonly ScheduleDefinition[];
  /** Version of the platform that has this table. */
  readonly version: string;
}

/**
 * Brings the server's schedules in line with the table: creates, updates and deletes, and runs those that want it at
 * start. Schedules of modules that other workers serve stay as they are. Deleted is only what an older or the same
 * version of the platform made: never a schedule of somebody else, nor one of a newer version that runs beside this one.
 */
export async function ensureSchedules(client: Client, { served, all, version }: ScheduleTable): Promise<void> {
  for (const definition of served) {
    const options = scheduleOptions(definition, version);
    const handle = client.schedule.getHandle(definition.id);
    try {
      await client.schedule.create(options);
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await handle.update((previous) => ({ ...previous, ...options }));
    }
    if (definition.atStart) await handle.trigger(ScheduleOverlapPolicy.SKIP);
  }
  await deleteRetired(client, new Set(all.map(({ id }) => id)), version);
}

async function deleteRetired(client: Client, table: ReadonlySet<string>, version: string): Promise<void> {
  for await (const { scheduleId } of client.schedule.list()) {
    if (table.has(scheduleId)) continue;
    const handle = client.schedule.getHandle(scheduleId);
    try {
      const { action } = await handle.describe();
      const madeBy = versionOf(scheduleId, action.memo?.[MARK]);
      if (madeBy !== null && !isNewer(madeBy, version)) await handle.delete();
    } catch (error) {
      // Another worker that starts as well was faster.
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
  }
}

/** The version of the platform that made a schedule; null for one of somebody else. */
function versionOf(scheduleId: string, mark: unknown): string | null {
  if (typeof mark === 'string') return mark;
  return UNMARKED_IDS.has(scheduleId) ? UNMARKED_VERSION : null;
}

function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}

function scheduleOptions(definition: ScheduleDefinition, version: string) {
  return {
    scheduleId: definition.id,
    spec: { cronExpressions: [definition.cron], timezone: 'UTC' },
    policies: { overlap: ScheduleOverlapPolicy[definition.overlap], catchupWindow: definition.catchupWindow },
    action: {
      type: 'startWorkflow' as const,
      workflowType: definition.workflowType,
      workflowId: definition.id,
      taskQueue: TASK_QUEUE,
      args: [],
      workflowRunTimeout: definition.runTimeout,
      memo: { [MARK]: version },
    },
  };
}
