import type { WorkflowStartOptions } from '@temporalio/client';
import { defineSearchAttributeKey, type Workflow } from '@temporalio/common';
import type { DeployTarget } from '../../domain/deploys/build-store.ts';
import { coordinatorWorkflowId, WORKFLOW_TYPES } from '../../domain/deploys/messages.ts';
import { SEARCH_ATTRIBUTES } from '../../domain/search-attributes.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';

/** Who asked for a build; absent where the platform itself has something to do. */
interface AskedBy {
  readonly org: string;
  readonly requestId: string;
}

type StartOptions = WorkflowStartOptions<Workflow> & {
  readonly taskQueue: string;
  readonly args: unknown[];
  readonly workflowIdConflictPolicy: 'USE_EXISTING';
};

/** How the coordinator of a service and environment is started when it does not run. */
export function startCoordinator({ service, environment }: DeployTarget, by?: AskedBy): [string, StartOptions] {
  const keyword = (name: string, value: string) => ({ key: defineSearchAttributeKey(name, 'KEYWORD'), value });
  return [
    WORKFLOW_TYPES.coordinateDeploys,
    {
      workflowId: coordinatorWorkflowId(service, environment),
      workflowIdConflictPolicy: 'USE_EXISTING',
      taskQueue: TASK_QUEUE,
      args: [{ service, environment, waiting: null }],
      staticSummary: `deploys of ${service} to ${environment}`,
      ...(by === undefined ? {} : { memo: { requestId: by.requestId } }),
      typedSearchAttributes: [
        keyword(SEARCH_ATTRIBUTES.service, service),
        keyword(SEARCH_ATTRIBUTES.environment, environment),
        ...(by === undefined ? [] : [keyword(SEARCH_ATTRIBUTES.org, by.org)]),
      ],
    },
  ];
}
