import type { ActivityTask, Execution, Server } from './execution.ts';
import { failureOf, type Outcome, resolutionOf } from './outcomes.ts';
import { type Command, payloadsOf, payloadValue, payloadValues } from './workflow-run.ts';

type Commands = { readonly [K in keyof Command]-?: NonNullable<Command[K]> };
type CarryOut<K extends keyof Command> = (server: Server, execution: Execution, asked: Commands[K]) => void;
type ScheduledActivity = Commands['scheduleActivity'] | Commands['scheduleLocalActivity'];

const WAIT_CANCELLATION_COMPLETED = 1;
const REQUEST_CANCEL = 3;
const ALREADY_EXISTS = 1;

/** What each command of a workflow has the server do. */
const COMMANDS: { readonly [K in keyof Command]?: CarryOut<K> } = {
  startTimer: ({ now }, { timers }, { seq, startToFireTimeout }) => {
    const { seconds = 0, nanos = 0 } = startToFireTimeout ?? {};
    timers.set(seq ?? 0, now() + Number(seconds) * 1_000 + (nanos ?? 0) / 1e6);
  },
  cancelTimer: (_, { timers }, { seq }) => void timers.delete(seq ?? 0),
  scheduleActivity: schedule,
  scheduleLocalActivity: schedule,
  requestCancelActivity: (server, execution, { seq }) => cancelActivity(server, execution, seq ?? 0),
  requestCancelLocalActivity: (server, execution, { seq }) => cancelActivity(server, execution, seq ?? 0),
  startChildWorkflowExecution: startChild,
  cancelChildWorkflowExecution: (server, { children }, { childWorkflowSeq }) => {
    const child = children.get(childWorkflowSeq ?? 0);
    if (child !== undefined) server.enqueue(child, { cancelWorkflow: {} });
  },
  signalExternalWorkflowExecution: signalOther,
  updateResponse: answerUpdate,
  respondToQuery: (_, { queries }, { queryId, succeeded }) =>
    queries.get(queryId ?? '')?.resolve(payloadValue(succeeded?.response)),
  completeWorkflowExecution: (server, execution, { result }) =>
    server.close(execution, { kind: 'completed', result: result ?? null }),
  failWorkflowExecution: (server, execution, { failure }) =>
    server.close(execution, { kind: 'failed', failure: failure ?? {} }),
  cancelWorkflowExecution: (server, execution) => server.close(execution, { kind: 'cancelled' }),
  continueAsNewWorkflowExecution: (server, execution, { workflowType, arguments: input }) => {
    server.close(execution, null);
    server.start({ workflowId: execution.run.workflowId, type: workflowType ?? '', args: payloadValues(input) });
  },
  // What people are shown of a workflow, and marks of versions.
  setPatchMarker: () => undefined,
  upsertWorkflowSearchAttributes: () => undefined,
  modifyWorkflowProperties: () => undefined,
};

/** @throws for a command that the model does not know */
export function carryOut(server: Server, execution: Execution, command: Command): void {
  const [found] = Object.entries(command).filter(([name, asked]) => asked != null && name in COMMANDS);
  if (found === undefined) throw new Error(`the model knows none of ${Object.keys(command).join(', ')}`);
  const [name, asked] = found;
  const carry = COMMANDS[name as keyof Command] as CarryOut<keyof Command>;
  carry(server, execution, asked as never);
}

function schedule(server: Server, execution: Execution, asked: ScheduledActivity): void {
  const { seq, activityType, cancellationType, retryPolicy } = asked;
  const task: ActivityTask = {
    ...{ type: activityType ?? '', args: payloadValues(asked.arguments) },
    maximumAttempts: retryPolicy?.maximumAttempts ?? 0,
    isWaitedFor: cancellationType === WAIT_CANCELLATION_COMPLETED,
    ...{ isOver: false, isCancelRequested: false, onCancel: () => undefined },
  };
  execution.activities.set(seq ?? 0, task);
  void server.perform(task).then((outcome) => resolve(server, execution, { seq: seq ?? 0, outcome }));
}

function resolve(
  server: Server,
  execution: Execution,
  { seq, outcome }: { readonly seq: number; readonly outcome: Outcome },
): void {
  const task = execution.activities.get(seq);
  if (task === undefined) return;
  execution.activities.delete(seq);
  server.enqueue(execution, { resolveActivity: { seq, result: resolutionOf(outcome, { type: task.type, seq }) } });
}

function cancelActivity(server: Server, execution: Execution, seq: number): void {
  const task = execution.activities.get(seq);
  if (task === undefined) return;
  task.isCancelRequested = true;
  task.onCancel();
  if (!task.isWaitedFor) resolve(server, execution, { seq, outcome: { kind: 'cancelled' } });
}

function startChild(server: Server, execution: Execution, asked: Commands['startChildWorkflowExecution']): void {
  const { parentClosePolicy, input } = asked;
  const [seq, workflowId, type] = [asked.seq ?? 0, asked.workflowId ?? '', asked.workflowType ?? ''];
  if (parentClosePolicy !== REQUEST_CANCEL) throw new Error(`the model cancels ${type} with its parent`);
  if (server.running(workflowId) !== null) {
    const failed = { workflowId, workflowType: type, cause: ALREADY_EXISTS };
    server.enqueue(execution, { resolveChildWorkflowExecutionStart: { seq, failed } });
    return;
  }
  const child = server.start({ workflowId, type, args: payloadValues(input) }, { execution, seq });
  execution.children.set(seq, child);
  const succeeded = { runId: child.run.runId };
  server.enqueue(execution, { resolveChildWorkflowExecutionStart: { seq, succeeded } });
}

function signalOther(server: Server, execution: Execution, asked: Commands['signalExternalWorkflowExecution']): void {
  const { seq, workflowExecution, signalName, args } = asked;
  server.post(async () => {
    const other = server.running(workflowExecution?.workflowId ?? '');
    const input = payloadsOf(...payloadValues(args));
    if (other !== null) server.enqueue(other, { signalWorkflow: { signalName: signalName ?? '', input } });
    const failure = other === null ? { failure: failureOf(new Error('no such workflow runs')) } : {};
    server.enqueue(execution, { resolveSignalExternalWorkflow: { seq: seq ?? 0, ...failure } });
  });
}

function answerUpdate(_: Server, { updates }: Execution, response: Commands['updateResponse']): void {
  const update = updates.get(response.protocolInstanceId ?? '');
  if (response.completed != null) update?.resolve(payloadValue(response.completed));
  if (response.rejected != null) update?.reject(new Error(response.rejected.message ?? 'rejected'));
}
