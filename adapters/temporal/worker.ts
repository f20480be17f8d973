import { NativeConnection, type WorkerOptions as SdkOptions, Worker } from '@temporalio/worker';
import { createActivityInterceptor, type ReportError } from './activity-interceptor.ts';
import type { TemporalAddress } from './client.ts';
import { temporalTls } from './tls.ts';

/** Activities on one task queue. */
export interface ActivityQueue {
  readonly taskQueue: string;
  readonly activities: object;
  /** How many of them run at once; what waits beyond that takes no slot of another queue. */
  readonly slots: number;
}

export interface WorkerOptions extends TemporalAddress, ActivityQueue {
  /** A prebuilt bundle of the workflows, or the file that exports them; they run on `taskQueue` alone. */
  readonly workflows: { readonly bundlePath: string } | { readonly entryPath: string };
  /** Further queues, with activities only. */
  readonly activityQueues: readonly ActivityQueue[];
  /** Where the errors of activities go that nobody but an operator may read. */
  readonly report: ReportError;
}

/** A worker process: one SDK worker for each queue, on one connection. */
export interface QueueWorker {
  /** Polls all queues. Resolves when it was shut down and what it had in hand has ended; rejects when one failed. */
  run(): Promise<void>;
  /** Takes no more tasks. Again is no error. */
  shutdown(): void;
  /** Once `run` has ended. */
  close(): Promise<void>;
}

/** How often an activity's heartbeat may go out: a cancellation is heard of within a second. */
const HEARTBEAT_EVERY = '1s';

/** How long Temporal waits for the worker that has a workflow in its cache before any other may go on with it. */
const STICKY_FOR = '3s';

/**
 * Workflows that are kept between their tasks, more than are active at once: a few hundred builds that wait, their coordinators, and
 * those that live for long. One that is not kept is played again from its history, which costs more than its task. And where there is
 * no place for one, and two of its tasks wait for a place, the SDK (1.24, `workflow_stream.rs`: "Extra buffered run") may lose
 * one of them: nothing of that workflow goes on until the worker starts anew.
 */
const CACHED_WORKFLOWS = 1_000;

/** Requests that wait at the server for a task of a queue without workflows: few tasks come by these. */
const WAITING_POLLS = 2;

/** A worker sized for a small machine. The caller runs it and closes it after. */
export async function createWorker(options: WorkerOptions): Promise<QueueWorker> {
  const connection = await NativeConnection.connect({ address: options.address, tls: temporalTls(options.tls) });
  const common = {
    connection,
    namespace: options.namespace,
    identity: options.identity,
    interceptors: { activity: [() => ({ inbound: createActivityInterceptor(options.report) })] },
    defaultHeartbeatThrottleInterval: HEARTBEAT_EVERY,
    maxHeartbeatThrottleInterval: HEARTBEAT_EVERY,
    shutdownGraceTime: '2s',
    shutdownForceTime: '15s',
  } satisfies Omit<SdkOptions, 'taskQueue'>;
  try {
    const workers = [
      await Worker.create({ ...common, ...workflowOptions(options) }),
      ...(await Promise.all(
        options.activityQueues.map(({ taskQueue, activities, slots }) =>
          Worker.create({
            ...{ ...common, taskQueue, activities },
            maxConcurrentActivityTaskExecutions: slots,
            maxConcurrentActivityTaskPolls: Math.min(slots, WAITING_POLLS),
          }),
        ),
      )),
    ];
    return {
      run: async () => void (await Promise.all(workers.map((worker) => worker.run()))),
      shutdown: () => {
        for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      },
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function workflowOptions({ taskQueue, activities, slots, workflows }: WorkerOptions) {
  return {
    taskQueue,
    activities,
    ...('bundlePath' in workflows
      ? { workflowBundle: { codePath: workflows.bundlePath } }
      : { workflowsPath: workflows.entryPath }),
    maxConcurrentActivityTaskExecutions: slots,
    // Far more than builds start at once: the local activity of a build waits for another workflow's task on this worker.
    maxConcurrentWorkflowTaskExecutions: 40,
    maxCachedWorkflows: CACHED_WORKFLOWS,
    workflowThreadPoolSize: 1,
    stickyQueueScheduleToStartTimeout: STICKY_FOR,
  } satisfies Partial<SdkOptions>;
}
