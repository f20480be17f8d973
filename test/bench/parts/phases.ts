import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import { buildWorkflowId, coordinatorWorkflowId } from '../../../domain/deploys/messages.ts';

const { EventType } = proto.temporal.api.enums.v1;

type Event = proto.temporal.api.history.v1.IHistoryEvent;

export interface Phase {
  readonly name: string;
  /** Milliseconds by the server's clock. */
  readonly ms: number;
}

/** Where the time of one finished deploy went, read from the histories of its coordinator and its build. */
export async function deployPhases(client: Client, request: BuildRequest): Promise<Phase[]> {
  const coordinator = await events(client, coordinatorWorkflowId(request.service, request.environment));
  const build = await events(client, buildWorkflowId(request.buildId));
  const accepted = first(coordinator, EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED);
  const started = first(build, EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED);
  const scheduled = build.filter(({ eventType }) => eventType === EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED);
  const completed = build.filter(({ eventType }) => eventType === EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED);
  const ended = build.at(-1);
  const tasks = build.filter(({ eventType }) => eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED).length;
  return [
    { name: 'request to accepted', ms: between(coordinator[0], accepted) },
    { name: 'accepted to build started', ms: between(accepted, started) },
    { name: 'build started to first step', ms: between(started, scheduled[0]) },
    { name: 'source step to the next', ms: between(scheduled[0], scheduled[1]) },
    { name: `other ${scheduled.length - 1} activities`, ms: between(scheduled[1], completed.at(-1)) },
    { name: `slot given back and end (${tasks} workflow tasks in all)`, ms: between(completed.at(-1), ended) },
  ];
}

async function events(client: Client, workflowId: string): Promise<readonly Event[]> {
  return (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
}

function first(history: readonly Event[], type: number): Event | undefined {
  return history.find(({ eventType }) => eventType === type);
}

function between(from: Event | undefined, to: Event | undefined): number {
  return Math.round(timeOf(to) - timeOf(from));
}

function timeOf(event: Event | undefined): number {
  return Number(event?.eventTime?.seconds ?? Number.NaN) * 1000 + (event?.eventTime?.nanos ?? 0) / 1e6;
}
