import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  CONNECTION_CHANGED,
  GIT_HOOKS_WORKFLOWS,
  type GitHookCommands,
  LOOK_REQUESTED,
  type PushedRef,
  pushWorkflowId,
  watchWorkflowId,
} from '../../domain/git-hooks/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { groupCalls } from '../group-calls.ts';
import { startedOnceMore } from './started-once-more.ts';
import { withinReach } from './within-reach.ts';

/** Deliveries that one request tells of. */
const MOST_TOLD = 500;

interface Asked {
  readonly pushed: PushedRef;
  readonly deliveryId: string;
}

/**
 * The way to the workflows of pushes: each is started when it does not run, and told in the same request. Deliveries for the
 * same workflow that come while a request is under way share the next one.
 */
export function createGitHookCommands(client: Client): GitHookCommands {
  const { workflow } = client;
  const reach = <T>(call: () => Promise<T>): Promise<T> => withinReach(client, 'What looks at pushes', call);

  const signalWatcher = (connectionId: string, signal: string, signalArgs: readonly string[]): Promise<void> => {
    const options = {
      workflowId: watchWorkflowId(connectionId),
      taskQueue: TASK_QUEUE,
      args: [{ connectionId }],
      staticSummary: `look at the repository of ${connectionId}`,
    };
    const told = { ...options, signal, signalArgs: [...signalArgs] };
    return reach(() => startedOnceMore(() => workflow.signalWithStart(GIT_HOOKS_WORKFLOWS.watchRepository, told)));
  };
  const lookAtAll = groupCalls<string, void>(
    async (connectionId, deliveryIds) => {
      await signalWatcher(connectionId, LOOK_REQUESTED, deliveryIds);
      return [];
    },
    { most: MOST_TOLD },
  );

  const tellPushes = async (pushed: PushedRef, deliveryIds: readonly string[], follows: boolean): Promise<void> => {
    const options = {
      workflowId: pushWorkflowId(pushed),
      taskQueue: TASK_QUEUE,
      staticSummary: `pushes to ${pushed.ref.slice(0, 60)}`,
    };
    // Most branches are pushed to once in a while: to start costs the server less than to start and signal.
    const asFirst = { ...options, args: [{ ...pushed, waiting: deliveryIds }] };
    if (!follows && (await isStarted(() => workflow.start(GIT_HOOKS_WORKFLOWS.deployPushes, asFirst)))) return;
    const told = { ...options, args: [pushed], signal: LOOK_REQUESTED, signalArgs: [...deliveryIds] };
    await startedOnceMore(() => workflow.signalWithStart(GIT_HOOKS_WORKFLOWS.deployPushes, told));
  };
  const look = groupCalls<Asked, void>(
    async (_workflowId, asked, follows) => {
      const [first] = asked;
      if (first === undefined) return [];
      const deliveryIds = asked.map(({ deliveryId }) => deliveryId);
      await reach(() => tellPushes(first.pushed, deliveryIds, follows));
      return [];
    },
    { most: MOST_TOLD },
  );
  return {
    look: (pushed, deliveryId) => look(pushWorkflowId(pushed), { pushed, deliveryId }),
    lookAtAll,
    changed: (connectionId) => signalWatcher(connectionId, CONNECTION_CHANGED, []),
  };
}

/** False where a workflow of that id runs already. */
async function isStarted(start: () => Promise<unknown>): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
