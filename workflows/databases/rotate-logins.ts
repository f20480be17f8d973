import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  continueAsNew,
  executeChild,
  isCancellation,
  log,
  ParentClosePolicy,
  patched,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { DatabasesActivities } from '../../activities/databases/index.ts';
import { type RotationOutcome, type RotationRequest, rotationWorkflowId } from '../../domain/databases/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';
import { reasonOf } from './reason-of.ts';
import { rotateLogin } from './rotate-login.ts';

const { listDueLogins } = proxyActivities<Pick<DatabasesActivities, 'listDueLogins'>>({
  taskQueue: moduleTaskQueue('databases'),
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '6h',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
});

const { reconcileServers } = proxyActivities<Pick<DatabasesActivities, 'reconcileServers'>>({
  taskQueue: moduleTaskQueue('databases'),
  startToCloseTimeout: '30m',
  scheduleToCloseTimeout: '1h',
  heartbeatTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
});

/** Services that are restarted at once: never many of them. */
const LANES = 2;

type DueLogin = Awaited<ReturnType<typeof listDueLogins>>['items'][number];
type Tally = Readonly<Record<'rotated' | 'waiting', number>>;

/** What is left of a night that continues as new. */
export interface RotationsLeft {
  readonly cursor: string | null;
  readonly tally: Tally;
  /** ISO time at which the night began; absent in a night of before. */
  readonly begunAt?: string;
}

/**
 * Gives new logins to all databases whose login is old enough, the oldest first, a few at a time; schedule
 * `rotate-database-logins`. One that fails stops no other. Before, servers have the users of the records.
 */
export async function rotateLogins(left?: RotationsLeft): Promise<Tally> {
  const tally = { ...(left?.tally ?? { rotated: 0, waiting: 0 }) };
  const begunAt = left?.begunAt ?? workflowInfo().startTime.toISOString();
  let cursor = left?.cursor ?? null;
  if (left === undefined && patched('reconcile-servers')) await reconcile();
  do {
    const page = await listDueLogins(cursor, begunAt);
    const due = [...page.items];
    const runOne = async (): Promise<void> => {
      for (let one = due.shift(); one !== undefined; one = due.shift()) {
        const kind = await rotate(one);
        if (kind !== 'not due') tally[kind] += 1;
        setCurrentDetails(`${tally.rotated} logins rotated, ${tally.waiting} wait for the next night`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, runOne));
    cursor = page.nextCursor;
    if (cursor !== null && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof rotateLogins>({ cursor, tally, begunAt });
    }
  } while (cursor !== null);
  return tally;
}

/** What keeps a server from it, keeps no login from its rotation. */
async function reconcile(): Promise<void> {
  try {
    for (const problem of await reconcileServers()) log.warn(`Not reconciled: ${problem}`);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn(`The users of the servers were not reconciled: ${reasonOf(error)}`);
  }
}

async function rotate(due: DueLogin): Promise<RotationOutcome['kind']> {
  const { id } = due;
  const request: RotationRequest = {
    ...{ id, isAsked: false, requestedBy: 'schedule' },
    requestId: `schedule/${workflowInfo().workflowId}`,
  };
  try {
    const outcome = await executeChild(rotateLogin, {
      workflowId: rotationWorkflowId(due),
      args: [request],
      // A workload that is being replaced is waited for all the same.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `new login of the database ${id}`,
    });
    return outcome.kind;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'not due';
    if (isCancellation(error)) throw error;
    log.warn(`The login of ${id} was not rotated: ${reasonOf(error)}`);
    return 'waiting';
  }
}
