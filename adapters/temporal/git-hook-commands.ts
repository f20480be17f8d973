import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  CONNECTION_CHANGED,
  GIT_HOOKS_WORKFLOWS,
  type GitHookCommands,
  LOOK_REQUESTED,
  pushWorkflowId,
  watchWorkflowId,
} from '../../domain/git-hooks/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { withinReach } from './within-reach.ts';

/** The way to the workflows of pushes: each is started when it does not run, and told in the same request. */
export function createGitHookCommands(client: Client): GitHookCommands {
  const reach = async (call: () => Promise<unknown>): Promise<void> => {
    await withinReach(client, 'What looks at pushes', () => startedOnceMore(call));
  };
  const signalWatcher = (connectionId: string, signal: string, signalArgs: string[]) =>
    client.workflow.signalWithStart(GIT_HOOKS_WORKFLOWS.watchRepository, {
      workflowId: watchWorkflowId(connectionId),
      taskQueue: TASK_QUEUE,
      args: [{ connectionId }],
      signal,
      signalArgs,
      staticSummary: `look at the repository of ${connectionId}`,
    });
  return {
    look: (pushed, deliveryId) =>
      reach(() =>
        client.workflow.signalWithStart(GIT_HOOKS_WORKFLOWS.deployPushes, {
          workflowId: pushWorkflowId(pushed),
          taskQueue: TASK_QUEUE,
          args: [pushed],
          signal: LOOK_REQUESTED,
          signalArgs: [deliveryId],
          staticSummary: `pushes to ${pushed.ref.slice(0, 60)}`,
        }),
      ),
    lookAtAll: (connectionId, deliveryId) => reach(() => signalWatcher(connectionId, LOOK_REQUESTED, [deliveryId])),
    changed: (connectionId) => reach(() => signalWatcher(connectionId, CONNECTION_CHANGED, [])),
  };
}

const ATTEMPTS = 4;

/** Of many that start one workflow at once, a server may refuse some: by then it runs, and can be told. */
async function startedOnceMore(call: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await call();
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }
}
