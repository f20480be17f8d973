import { Worker } from '@temporalio/worker';
import { createActivityInterceptor } from '../../adapters/temporal/activity-interceptor.ts';
import { testWorkflowBundle } from '../support/workflow-bundle.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';

/** Runs a workflow to its end and gives its result. */
export type Execute = (type: string, workflowId: string, args?: readonly unknown[]) => Promise<unknown>;

/**
 * Runs `body` with a worker for these activities, on a task queue of its own: the harness has a worker on the usual one,
 * which knows the activities of deploys alone.
 */
export async function withOwnWorker<T>(
  { env, client }: Awaited<ReturnType<typeof createTemporal>>,
  taskQueue: string,
  activities: object,
  body: (execute: Execute) => Promise<T>,
): Promise<T> {
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue,
    workflowBundle: await testWorkflowBundle(),
    activities,
    interceptors: { activity: [() => ({ inbound: createActivityInterceptor() })] },
  });
  return await worker.runUntil(() =>
    body((type, workflowId, args = []) => client.workflow.execute(type, { taskQueue, workflowId, args: [...args] })),
  );
}
