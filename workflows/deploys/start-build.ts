import { executeChild, ParentClosePolicy } from '@temporalio/workflow';
import { type BuildOutcome, buildWorkflowId } from '../../domain/deploys/messages.ts';
import { ENVIRONMENT, ORG, SERVICE, STAGE } from '../search-attributes.ts';
import type { OpenBuild } from './idle-build.ts';
import { runBuild } from './run-build.ts';

/** Runs a build as the child of its coordinator, which is cancelled with it. */
export function startBuild({ request, plan, resumed }: OpenBuild): Promise<BuildOutcome> {
  return executeChild(runBuild, {
    workflowId: buildWorkflowId(request.buildId),
    args: resumed === undefined ? [request, plan] : [request, plan, resumed],
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    staticSummary: `${request.kind} ${request.service} to ${request.environment}`,
    staticDetails: `Requested by ${request.requestedBy} (${request.org}), request ${request.requestId}`,
    memo: { requestId: request.requestId, requestedBy: request.requestedBy },
    typedSearchAttributes: [
      { key: SERVICE, value: request.service },
      { key: ENVIRONMENT, value: request.environment },
      { key: ORG, value: request.org },
      { key: STAGE, value: 'queued' },
    ],
  });
}
