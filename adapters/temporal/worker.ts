import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivityInterceptor } from './activity-interceptor.ts';
import type { TemporalAddress } from './client.ts';

export interface WorkerOptions extends TemporalAddress {
  readonly taskQueue: string;
  readonly activities: object;
  /** A prebuilt bundle of the workflows, or the file that exports them. */
  readonly workflows: { readonly bundlePath: string } | { readonly entryPath: string };
}

/** How often an activity's heartbeat may go out: a cancellation is heard of within a second. */
const HEARTBEAT_EVERY = '1s';

/** How long Temporal waits for the worker that has a workflow in its cache before any other may go on with it. */
const STICKY_FOR = '3s';

/** A worker of one task queue, sized for a small machine. The caller runs it and closes the connection after. */
export async function createWorker(options: WorkerOptions): Promise<{ worker: Worker; connection: NativeConnection }> {
  const connection = await NativeConnection.connect({ address: options.address });
  const worker = await Worker.create({
    connection,
    namespace: options.namespace,
    identity: options.identity,
    taskQueue: options.taskQueue,
    activities: options.activities,
    ...('bundlePath' in options.workflows
      ? { workflowBundle: { codePath: options.workflows.bundlePath } }
      : { workflowsPath: options.workflows.entryPath }),
    interceptors: { activity: [() => ({ inbound: createActivityInterceptor() })] },
    maxConcurrentActivityTaskExecutions: 20,
    // Far more than builds start at once: the local activity of a build waits for another workflow's task on this worker.
    maxConcurrentWorkflowTaskExecutions: 40,
    maxCachedWorkflows: 50,
    workflowThreadPoolSize: 1,
    stickyQueueScheduleToStartTimeout: STICKY_FOR,
    defaultHeartbeatThrottleInterval: HEARTBEAT_EVERY,
    maxHeartbeatThrottleInterval: HEARTBEAT_EVERY,
    shutdownGraceTime: '2s',
    shutdownForceTime: '15s',
  });
  return { worker, connection };
}
