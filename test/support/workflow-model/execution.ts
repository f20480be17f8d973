import type { Closing, Outcome } from './outcomes.ts';
import type { Job, WorkflowRun } from './workflow-run.ts';

/** An activity that a workflow asked for. */
export interface ActivityTask {
  readonly type: string;
  readonly args: readonly unknown[];
  /** 0: as many as it takes. */
  readonly maximumAttempts: number;
  /** Whether a workflow that cancels it waits until it has ended. */
  readonly isWaitedFor: boolean;
  /** Nobody waits for its end any more: no attempt follows the one at work. */
  isOver: boolean;
  isCancelRequested: boolean;
  /** Cancels the attempt at work. */
  onCancel: () => void;
}

/** A run of a workflow, as the server has it. */
export interface Execution {
  readonly run: WorkflowRun;
  /** Who started it, and under which number it is known there. */
  readonly parent: { readonly execution: Execution; readonly seq: number } | null;
  readonly children: Map<number, Execution>;
  readonly activities: Map<number, ActivityTask>;
  /** When they fire, by the model's clock. */
  readonly timers: Map<number, number>;
  /** Updates that were accepted, or wait for that. */
  readonly updates: Map<string, PromiseWithResolvers<unknown>>;
  readonly queries: Map<string, PromiseWithResolvers<unknown>>;
  readonly ended: PromiseWithResolvers<void>;
  /** After so many it is told to continue as new. */
  readonly mostTasks: number;
  inbox: Job[];
  tasks: number;
  isQueued: boolean;
  isOpen: boolean;
}

export interface Start {
  readonly workflowId: string;
  readonly type: string;
  readonly args: readonly unknown[];
}

/** What commands of workflows, and clients, have the server do. */
export interface Server {
  /** Milliseconds, by its own clock. */
  readonly now: () => number;
  /** Has something happen when whoever orders all that happens lets it; nothing else happens meanwhile. */
  readonly post: (work: () => Promise<void>) => void;
  readonly perform: (task: ActivityTask) => Promise<Outcome>;
  start(options: Start, parent?: Execution['parent']): Execution;
  /** The open run of a workflow; null when there is none. */
  running(workflowId: string): Execution | null;
  /** What an open run is told with its next task. */
  enqueue(execution: Execution, job: Job): void;
  /** @param closing null for a run that goes on as a new one */
  close(execution: Execution, closing: Closing | null): void;
}
