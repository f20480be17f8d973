import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import type { BuildStatus } from '../../domain/deploys/status.ts';
import { STAGE } from '../search-attributes.ts';

/** Keeps the Temporal UI telling what goes on: the Stage attribute, and the current details as a line of Markdown. */
export function showProgress(request: BuildRequest, stage: BuildStatus, what: string): void {
  setCurrentDetails(`**${request.service}** → ${request.environment} · ${stage} · ${what}`);
  if (workflowInfo().typedSearchAttributes.get(STAGE) === stage) return;
  upsertSearchAttributes([{ key: STAGE, value: stage }]);
}
