import { condition, defineSignal, isCancellation, patched, proxyActivities, setHandler } from '@temporalio/workflow';
import type { FinalBackupsActivities } from '../../activities/databases/back-up-finally.ts';
import type { DatabasesActivities } from '../../activities/databases/index.ts';
import { DROP_SIGNALS, type DropOutcome, type DropRequest } from '../../domain/databases/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';
import { reasonOf } from './reason-of.ts';

const retry = { initialInterval: '10s', backoffCoefficient: 2, maximumInterval: '10m' } as const;

const { dropKeptDatabase } = proxyActivities<DatabasesActivities>({
  taskQueue: moduleTaskQueue('databases'),
  startToCloseTimeout: '3h',
  heartbeatTimeout: '1m',
  retry,
  summary: 'Drop a database of a removed service',
});

/** How large a database is that is kept: for people alone. */
const { measureKeptDatabase } = proxyActivities<DatabasesActivities>({
  taskQueue: moduleTaskQueue('databases'),
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '10m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

const timeChanged = defineSignal<[string]>(DROP_SIGNALS.timeChanged);

/** It waits for a dump of hours: on a queue of its own, which bounds how many there are at once. */
const { backUpFinally } = proxyActivities<FinalBackupsActivities>({
  taskQueue: moduleTaskQueue('final-backups'),
  startToCloseTimeout: '3h',
  heartbeatTimeout: '1m',
  retry,
  summary: 'Back up a database before it is dropped',
});

/**
 * Waits until the database of a removed service may be dropped, and drops it after its final backup, unless a service has it
 * again by then; id `database-drop/<engine>/<database>`, so that a database has one such time.
 */
export async function dropDatabase(request: DropRequest): Promise<DropOutcome> {
  const { id } = request;
  let { dropAfter } = request;
  /** Another time that people have asked for. */
  let asked: string | null = null;
  setHandler(timeChanged, (time) => {
    asked = time;
  });
  // A login that ends now waits for no measurement.
  if (Date.parse(dropAfter) > Date.now() && patched('measure-kept-databases')) await measure(id);
  for (;;) {
    await condition(() => asked !== null, Math.max(1, Date.parse(dropAfter) - Date.now()));
    dropAfter = asked ?? dropAfter;
    asked = null;
    let outcome = await dropKeptDatabase({ id, dropAfter });
    if (outcome.kind === 'backup first') {
      const problem = await backUp({ id, dropAfter });
      outcome = await dropKeptDatabase({ id, dropAfter, problem });
    }
    if (outcome.kind !== 'kept') return outcome;
    dropAfter = outcome.dropAfter;
  }
}

async function measure(id: string): Promise<void> {
  try {
    await measureKeptDatabase(id);
  } catch (error) {
    if (isCancellation(error)) throw error;
  }
}

/** @returns why it could not be made, for the case that there is no record which says it */
async function backUp(request: DropRequest): Promise<string> {
  try {
    await backUpFinally(request);
    return 'it came to no end';
  } catch (error) {
    if (isCancellation(error)) throw error;
    return reasonOf(error);
  }
}
