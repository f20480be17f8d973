import './async-local-storage.ts';
import { setImmediate as settle } from 'node:timers/promises';
import { defaultPayloadConverter, toPayloads } from '@temporalio/common';
import proto, { type coresdk } from '@temporalio/proto';
import { setActivator } from '@temporalio/workflow/lib/global-attributes.js';
import type { WorkflowCreateOptionsInternal } from '@temporalio/workflow/lib/interfaces.js';
import { Activator } from '@temporalio/workflow/lib/internals.js';
import {
  activate,
  concludeActivation,
  initialize,
  tryUnblockConditions,
} from '@temporalio/workflow/lib/worker-interface.js';

const { WorkflowActivation } = proto.coresdk.workflow_activation;

export type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type Command = coresdk.workflow_commands.IWorkflowCommand;
export type WorkflowFunction = (...args: never[]) => Promise<unknown>;

/** One run of a workflow's own code in the SDK's own library, without a sandbox: of what happened, and what it wants then. */
export interface WorkflowRun {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  /** Carries a workflow task out. No two at the same time, of whatever runs. @throws what is no failure of the workflow */
  activate(jobs: readonly Job[], options?: { readonly continueAsNewSuggested: boolean }): Promise<readonly Command[]>;
}

export interface RunOptions {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly workflow: WorkflowFunction;
  /** Names of activities that there are. */
  readonly activities: ReadonlySet<string>;
}

export function createWorkflowRun({ workflowId, runId, type, workflow, activities }: RunOptions): WorkflowRun {
  const activator = new Activator({
    info: infoOf({ workflowId, runId, type }),
    ...{ now: Date.now(), randomnessSeed: [1], registeredActivityNames: activities },
    ...{ showStackTraceSources: false, stackTracesEnabled: false, sourceMap: {}, getTimeOfDay: () => 0n },
  } as unknown as WorkflowCreateOptionsInternal);
  activator.workflow = workflow as never;
  return {
    ...{ workflowId, runId, type },
    async activate(jobs, { continueAsNewSuggested } = { continueAsNewSuggested: false }) {
      setActivator(activator);
      activator.now = Date.now();
      activator.mutateWorkflowInfo((info) => ({ ...info, continueAsNewSuggested }));
      const begin = jobs.find(({ initializeWorkflow }) => initializeWorkflow != null)?.initializeWorkflow;
      if (begin != null) initialize(begin as coresdk.workflow_activation.InitializeWorkflow);
      activate(WorkflowActivation.fromObject({ runId, jobs: [...jobs] }), 0);
      // A worker's sandbox lets all that is ready go on when it is left; here that is the next turn of the event loop.
      do await settle();
      while (tryUnblockConditions() > 0);
      const { successful } = concludeActivation();
      activator.getAndResetSinkCalls();
      return (successful?.commands ?? []) as Command[];
    },
  };
}

/** What the library reads of it; the rest is for people. */
function infoOf(run: { readonly workflowId: string; readonly runId: string; readonly type: string }) {
  return {
    ...{ workflowId: run.workflowId, runId: run.runId, firstExecutionRunId: run.runId, workflowType: run.type },
    ...{ namespace: 'default', taskQueue: 'model', attempt: 1, historyLength: 1, historySize: 0, memo: {} },
    ...{ searchAttributes: {}, startTime: new Date(), runStartTime: new Date(), taskTimeoutMs: 10_000 },
    ...{
      continueAsNewSuggested: false,
      unsafe: { isReplaying: false, isReplayingHistoryEvents: false, now: Date.now },
    },
  };
}

export const payloadsOf = (...args: readonly unknown[]) => toPayloads(defaultPayloadConverter, ...args) ?? [];

/** The value of a payload, or of the first of several. */
export function payloadValue(
  payload: Parameters<typeof defaultPayloadConverter.fromPayload>[0] | null | undefined,
): unknown {
  return payload == null ? undefined : defaultPayloadConverter.fromPayload(payload);
}

export const payloadValues = (payloads: readonly Parameters<typeof payloadValue>[0][] | null | undefined): unknown[] =>
  (payloads ?? []).map(payloadValue);
