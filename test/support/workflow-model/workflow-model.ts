import { carryOut } from './carry-out.ts';
import type { ActivityTask, Execution, Server, Start } from './execution.ts';
import { childResolutionOf, type Outcome } from './outcomes.ts';
import { createWorkflowRun, type Job, payloadsOf, type WorkflowFunction } from './workflow-run.ts';

export interface WorkflowModelOptions {
  readonly workflows: Readonly<Record<string, WorkflowFunction>>;
  /** Names of activities. */
  readonly activities: ReadonlySet<string>;
  /** Carries an activity out, with all its attempts. */
  readonly perform: (task: ActivityTask) => Promise<Outcome>;
  readonly post: Server['post'];
  /** After how many of its tasks a run is told to continue as new. */
  readonly tasksOfRun: () => number;
}

export interface Update {
  readonly name: string;
  /** The same update sent twice is one update. */
  readonly id: string;
  readonly args: readonly unknown[];
}

/** Of an update whose run ended before it answered. */
export const NOT_HAPPENED = new Error('the workflow ended before it answered the update');

export interface WorkflowModel {
  /** Starts a workflow, unless one of that id runs. */
  start(options: Start): Promise<void>;
  /** @returns whether it was kept; with `start`, it always is */
  signal(workflowId: string, name: string, start?: Start): Promise<boolean>;
  /** @returns its answer; null where no such workflow runs. @throws NOT_HAPPENED, or its rejection */
  update(workflowId: string, update: Update, start?: Start): Promise<unknown>;
  /** @returns the answer of the open run; null when there is none */
  query(workflowId: string, name: string): Promise<unknown>;
  /** The latest run; null where there was none. */
  latest(
    workflowId: string,
  ): { readonly isOpen: boolean; readonly runId: string; readonly parentRunId: string | null } | null;
  /** Resolves when the latest run of a workflow has ended. */
  ended(workflowId: string): Promise<void>;
  /** Ids of workflows that run. */
  open(): readonly string[];
  /** How workflows ended, such as `removeService failed`. */
  readonly ends: readonly string[];
  /** As an operator does: its code runs no more, and what it was doing goes on without it. */
  terminate(workflowId: string): Promise<void>;
  /** Lets the timer fire that is due next. False when there is none. */
  fireTimer(): boolean;
}

/**
 * Temporal as workflows and their clients see it, in this process: it runs the workflows' own code in the SDK's own library,
 * and is itself a model of the server. Each task of a workflow and each message is something that happens by itself. What
 * becomes of a worker that lost a task of a workflow, which is to replay it, is left to Temporal.
 */
export function createWorkflowModel(options: WorkflowModelOptions): WorkflowModel {
  const executions = new Map<string, Execution>();
  const server = createServer(options, executions);
  const { running, enqueue } = server;
  /** Messages happen one by one, and none while a workflow carries out a task. */
  const happening = <T>(work: () => T): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<T>();
    options.post(async () => resolve(work()));
    return promise;
  };
  const found = (workflowId: string, start: Start | undefined): Execution | null =>
    running(workflowId) ?? (start === undefined ? null : server.start(start));
  return {
    start: (start) => happening(() => void found(start.workflowId, start)),
    signal: (workflowId, signalName, start) =>
      happening(() => {
        const execution = found(workflowId, start);
        if (execution !== null) enqueue(execution, { signalWorkflow: { signalName, input: [] } });
        return execution !== null;
      }),
    async update(workflowId, { name, id, args }, start) {
      const sent = await happening(() => {
        const execution = found(workflowId, start);
        const known = execution?.updates.get(id);
        if (execution === null || known !== undefined) return known ?? null;
        const update = Promise.withResolvers<unknown>();
        update.promise.catch(() => undefined);
        execution.updates.set(id, update);
        const meta = { identity: 'model', updateId: id };
        const input = payloadsOf(...args);
        enqueue(execution, { doUpdate: { id, protocolInstanceId: id, name, input, runValidator: true, meta } });
        return update;
      });
      return await (sent === null ? null : sent.promise);
    },
    async query(workflowId, queryType) {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      options.post(async () => {
        const execution = running(workflowId);
        if (execution === null || execution.tasks === 0) return resolve(null);
        const asked = Promise.withResolvers<unknown>();
        const queryId = `query-${execution.queries.size}`;
        execution.queries.set(queryId, asked);
        const commands = await execution.run.activate([{ queryWorkflow: { queryId, queryType, arguments: [] } }]);
        for (const command of commands) carryOut(server, execution, command);
        resolve(await asked.promise);
      });
      return await promise;
    },
    latest(workflowId) {
      const execution = executions.get(workflowId);
      if (execution === undefined) return null;
      const parentRunId = execution.parent?.execution.run.runId ?? null;
      return { isOpen: execution.isOpen, runId: execution.run.runId, parentRunId };
    },
    ended: async (workflowId) => await executions.get(workflowId)?.ended.promise,
    ends: server.ends,
    open: () => [...executions.values()].filter(({ isOpen }) => isOpen).map(({ run }) => run.workflowId),
    terminate: (workflowId) =>
      happening(() => {
        const execution = running(workflowId);
        if (execution !== null) server.close(execution, { kind: 'terminated' });
      }),
    fireTimer: () => fireTimer(server, executions.values()),
  };
}

function createServer(options: WorkflowModelOptions, executions: Map<string, Execution>): Server & Clock {
  let runs = 0;
  const clock = { time: 0 };
  const ends: string[] = [];
  const runTask = async (execution: Execution): Promise<void> => {
    execution.isQueued = false;
    if (!execution.isOpen) return;
    const jobs = inOrder(execution.inbox.splice(0));
    execution.tasks += 1;
    const continueAsNewSuggested = execution.tasks >= execution.mostTasks;
    const commands = await execution.run.activate(jobs, { continueAsNewSuggested });
    for (const command of commands) carryOut(server, execution, command);
  };
  const server: Server & Clock = {
    ...{ clock, ends, now: () => clock.time, post: options.post, perform: options.perform },
    start({ workflowId, type, args }, parent = null) {
      const workflow = options.workflows[type];
      if (workflow === undefined) throw new Error(`no workflow is called ${type}`);
      runs += 1;
      const names = { workflowId, runId: `run-${runs}`, type };
      const execution: Execution = {
        run: createWorkflowRun({ ...names, workflow, activities: options.activities }),
        ...{ parent, children: new Map(), activities: new Map(), timers: new Map() },
        ...{ updates: new Map(), queries: new Map(), mostTasks: options.tasksOfRun() },
        ...{ ended: Promise.withResolvers<void>(), inbox: [], tasks: 0, isQueued: false, isOpen: true },
      };
      executions.set(workflowId, execution);
      const input = payloadsOf(...args);
      server.enqueue(execution, { initializeWorkflow: { workflowId, workflowType: type, arguments: input } });
      return execution;
    },
    running(workflowId) {
      const execution = executions.get(workflowId);
      return execution?.isOpen === true ? execution : null;
    },
    enqueue(execution, job) {
      if (!execution.isOpen) return;
      execution.inbox.push(job);
      if (execution.isQueued) return;
      execution.isQueued = true;
      options.post(() => runTask(execution));
    },
    close(execution, closing) {
      execution.isOpen = false;
      execution.ended.resolve();
      ends.push(`${execution.run.type} ${closing?.kind ?? 'continued as new'}`);
      for (const update of execution.updates.values()) update.reject(NOT_HAPPENED);
      for (const task of execution.activities.values()) task.isOver = true;
      for (const child of execution.children.values()) server.enqueue(child, { cancelWorkflow: {} });
      const { parent, run } = execution;
      if (parent === null || closing === null) return;
      parent.execution.children.delete(parent.seq);
      const result = childResolutionOf(closing, run);
      server.enqueue(parent.execution, { resolveChildWorkflowExecution: { seq: parent.seq, result } });
    },
  };
  return server;
}

interface Clock {
  readonly clock: { time: number };
  readonly ends: string[];
}

function fireTimer(server: Server & Clock, executions: Iterable<Execution>): boolean {
  const due = [...executions]
    .filter(({ isOpen }) => isOpen)
    .flatMap((execution) => [...execution.timers].map(([seq, at]) => ({ execution, seq, at })));
  const next = due.toSorted((one, other) => one.at - other.at)[0];
  if (next === undefined) return false;
  server.clock.time = Math.max(server.clock.time, next.at);
  next.execution.timers.delete(next.seq);
  server.enqueue(next.execution, { fireTimer: { seq: next.seq } });
  return true;
}

/** As a worker gets them: the beginning, then messages, then the rest. */
function inOrder(jobs: readonly Job[]): readonly Job[] {
  const rank = (job: Job): number => {
    if (job.initializeWorkflow != null) return 0;
    return job.signalWorkflow != null || job.doUpdate != null ? 1 : 2;
  };
  return jobs.toSorted((one, other) => rank(one) - rank(other));
}
