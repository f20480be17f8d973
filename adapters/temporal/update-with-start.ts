import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, type Workflow } from '@temporalio/common';

export interface EntityUpdate<Arg> {
  readonly start: ConstructorParameters<typeof WithStartWorkflowOperation<Workflow>>;
  readonly update: string;
  /** The same update sent twice is one update. */
  readonly updateId: string;
  readonly arg: Arg;
}

const ATTEMPTS = 4;

/**
 * Types of failures by which the server says that an update has not happened: its workflow ended just then, or a workflow
 * task came back without an answer to it, as under a rush of updates. Temporal keeps nothing of such an update.
 */
const NOT_HAPPENED: ReadonlySet<string> = new Set(['AcceptedUpdateCompletedWorkflow', 'UnprocessedUpdate']);

/**
 * Sends an update to an entity workflow, which is started when it does not run. An entity that has nothing to do ends,
 * and may do so in the moment an update reaches it: the next attempt then starts a new one.
 */
export async function updateWithStart<Result, Arg>(client: Client, entity: EntityUpdate<Arg>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await client.workflow.executeUpdateWithStart<Workflow, Result, [Arg]>(entity.update, {
        startWorkflowOperation: new WithStartWorkflowOperation(...entity.start),
        updateId: entity.updateId,
        args: [entity.arg],
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !hasNotHappened(error)) throw error;
    }
  }
}

function hasNotHappened(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  if (!(error instanceof WorkflowUpdateFailedError)) return false;
  return error.cause instanceof ApplicationFailure && NOT_HAPPENED.has(error.cause.type ?? '');
}
