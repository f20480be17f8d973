import { randomUUID } from 'node:crypto';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { GrantKey } from '../../domain/grants/grant.ts';
import type { GrantView } from '../../domain/grants/grant-schema.ts';
import {
  APPLY_GRANT,
  DECIDE_GRANT,
  GRANT_REMOVED,
  GRANTS_WORKFLOWS,
  grantWorkflowId,
  REQUEST_SCOPES,
} from '../../domain/grants/messages.ts';
import type { GrantCommands } from '../../domain/grants/ports.ts';
import { serviceClientId } from '../../domain/oauth-clients/ownership.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { answered } from './answered.ts';
import { updateWithStart } from './update-with-start.ts';

/** The way to the workflows of grants; one that ended is started anew. */
export function createGrantCommands(client: Client): GrantCommands {
  const update = <Result, Arg>(key: GrantKey, name: string, arg: Arg): Promise<Result> =>
    answered(client, () =>
      updateWithStart<Result, Arg>(client, { start: startGrant(key), update: name, updateId: randomUUID(), arg }),
    );
  return {
    request: (key, request) => update<GrantView, object>(key, REQUEST_SCOPES, { key, request }),
    decide: (key, transition) => update<GrantView, object>(key, DECIDE_GRANT, { key, transition }),
    apply: (key) => update<void, GrantKey>(key, APPLY_GRANT, key),
    close: (key) =>
      answered(client, async () => {
        try {
          await client.workflow.getHandle(grantWorkflowId(key)).signal(GRANT_REMOVED, key);
        } catch (error) {
          // None runs.
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      }),
  };
}

function startGrant(key: GrantKey): Parameters<typeof updateWithStart>[1]['start'] {
  const { holder, environment, target } = key;
  return [
    GRANTS_WORKFLOWS.holdGrant,
    {
      workflowId: grantWorkflowId(key),
      workflowIdConflictPolicy: 'USE_EXISTING',
      taskQueue: TASK_QUEUE,
      args: [{ key, grant: null }],
      staticSummary: `scopes of ${target.name} for ${serviceClientId(holder.name, environment)}`,
    },
  ];
}
