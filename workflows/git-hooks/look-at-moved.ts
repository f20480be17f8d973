import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  ParentClosePolicy,
  setCurrentDetails,
  sleep,
  startChild,
} from '@temporalio/workflow';
import { LOOK_REQUESTED, type MovedRef, type PushedRef, pushWorkflowId } from '../../domain/git-hooks/messages.ts';
import { deployPushes } from './deploy-pushes.ts';

/** Branches and tags of one repository that are looked at together, however many moved. */
const AT_ONCE = 10;

/**
 * Has branches and tags looked at, some at a time, each by its own workflow.
 * @param isFull whether the run is to end soon: then no more are begun, and those under way go on by themselves
 * @returns those that were not begun
 */
export async function lookAtMoved(
  connectionId: string,
  looks: readonly MovedRef[],
  isFull: () => boolean,
): Promise<readonly MovedRef[]> {
  const left = [...looks];
  const takeTurns = async (): Promise<void> => {
    while (left.length > 0 && !isFull()) {
      const [next] = left;
      if (next === undefined) return;
      left.shift();
      setCurrentDetails(`${left.length} branches and tags are left to look at`);
      await lookAt({ connectionId, ref: next.ref }, next.deliveries);
    }
  };
  await Promise.race([Promise.all(Array.from({ length: AT_ONCE }, takeTurns)), condition(isFull)]);
  return left;
}

/** Until the look has ended, or one that was under way is told of it. */
async function lookAt(pushed: PushedRef, deliveries: readonly string[]): Promise<void> {
  for (;;) {
    try {
      const look = await startChild(deployPushes, {
        workflowId: pushWorkflowId(pushed),
        parentClosePolicy: ParentClosePolicy.ABANDON,
        args: [{ ...pushed, waiting: deliveries }],
        staticSummary: `pushes to ${pushed.ref.slice(0, 60)}`,
      });
      return await orWarn(() => look.result());
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    if (await isTold(pushed, deliveries)) return;
    // It ended between the two: it is started.
    await sleep('1 second');
  }
}

async function isTold(pushed: PushedRef, deliveries: readonly string[]): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(pushWorkflowId(pushed)).signal(LOOK_REQUESTED, ...deliveries);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}

async function orWarn(wait: () => Promise<void>): Promise<void> {
  try {
    await wait();
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn(`A look did not end as it should: ${String(error)}`);
  }
}
