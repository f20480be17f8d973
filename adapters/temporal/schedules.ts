import { Client, ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import type { Logger } from 'pino';
import { compareVersions } from '../../domain/compare-versions.ts';
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
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Brings the server's schedules in line with the table: creates, updates and deletes, and runs those that want it at
 * start. Schedules of modules that other workers serve stay as they are, and so do those that a newer version of the
 * platform made, which may run beside this one: each is a line in the log, and so is one that is paused, and stays so. A schedule
 * of somebody else is never deleted.
 */
export async function ensureSchedules(client: Client, { served, all, version, log }: ScheduleTable): Promise<void> {
  for (const definition of served) {
    const options = scheduleOptions(definition, version);
    const handle = client.schedule.getHandle(definition.id);
    try {
      await client.schedule.create(options);
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      const { action, state } = await handle.describe();
      if (state.paused) tellOfPause(definition.id, state.note, log);
      const madeBy = versionOf(definition.id, action.memo);
      if (madeBy !== null && isLeft(definition.id, madeBy, { version, log })) continue;
      await handle.update((previous) => ({ ...previous, ...options }));
    }
    if (definition.atStart) await handle.trigger(ScheduleOverlapPolicy.SKIP);
  }
  await deleteRetired(readingOnlyOurs(client), new Set(all.map(({ id }) => id)), { version, log });
}

/** Somebody has paused it, and it stays so: what it does at its times is not done. */
function tellOfPause(scheduleId: string, note: string | undefined, log: Own['log']): void {
  const remedy = `temporal schedule toggle --unpause --schedule-id ${scheduleId}`;
  log.warn({ scheduleId, note, remedy }, 'a schedule is paused: it starts nothing until it is resumed');
}

type Own = Pick<ScheduleTable, 'version' | 'log'>;

async function deleteRetired(client: Client, table: ReadonlySet<string>, own: Own): Promise<void> {
  for await (const { scheduleId } of client.schedule.list()) {
    if (table.has(scheduleId)) continue;
    const handle = client.schedule.getHandle(scheduleId);
    try {
      const madeBy = versionOf(scheduleId, (await handle.describe()).action.memo);
      if (madeBy !== null && !isLeft(scheduleId, madeBy, own)) await handle.delete();
    } catch (error) {
      // Another worker that starts as well was faster.
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
  }
}

/** True for a schedule of a newer version, which this one leaves as it is. */
function isLeft(scheduleId: string, madeBy: string, { version, log }: Own): boolean {
  if (compareVersions(madeBy, version) <= 0) return false;
  log.warn({ scheduleId, madeBy, version }, 'a schedule stays as it is: a newer version of the platform made it');
  return true;
}

/**
 * The same server, for reading schedules of others as well: a value that is sealed, which only they can read, is
 * undefined instead of an error.
 */
function readingOnlyOurs({ connection, options: { namespace, identity } }: Client): Client {
  const none: Payload = { metadata: { encoding: Buffer.from('binary/null') } };
  const isPlain = ({ metadata }: Payload) => Buffer.from(metadata?.encoding ?? []).toString() === 'json/plain';
  const codec: PayloadCodec = {
    encode: async (payloads) => payloads,
    decode: async (payloads) => payloads.map((payload) => (isPlain(payload) ? payload : none)),
  };
  return new Client({ connection, namespace, identity, dataConverter: { payloadCodecs: [codec] } });
}

/** The version of the platform that made a schedule; null for one of somebody else. */
function versionOf(scheduleId: string, memo: Record<string, unknown> | undefined): string | null {
  const mark = memo?.[MARK];
  if (typeof mark === 'string') return mark;
  return UNMARKED_IDS.has(scheduleId) ? UNMARKED_VERSION : null;
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
