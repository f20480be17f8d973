import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  continueAsNew,
  executeChild,
  isCancellation,
  log,
  ParentClosePolicy,
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

/** Services that are restarted at once: never many of them. */
const LANES = 2;

type DueLogin = Awaited<ReturnType<typeof listDueLogins>>['items'][number];
type Tally = Readonly<Record<'rotated' | 'waiting', number>>;

/** What is left of a night that continues as new. */
export interface RotationsLeft {
  readonly cursor: string | null;
  readonly tally: Tally;
}

/** Gives new logins to all databases whose login is old enough, a few at a time; schedule `rotate-database-logins`. One that fails stops no other. */
export async function rotateLogins(left?: RotationsLeft): Promise<Tally> {
  const tally = { ...(left?.tally ?? { rotated: 0, waiting: 0 }) };
  let cursor = left?.cursor ?? null;
  do {
    const page = await listDueLogins(cursor);
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
      await continueAsNew<typeof rotateLogins>({ cursor, tally });
    }
  } while (cursor !== null);
  return tally;
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
