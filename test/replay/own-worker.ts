import { type ModuleWorkerOptions, startModuleWorker } from '../support/start-module-worker.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';

/** Runs a workflow to its end and gives its result. */
export type Execute = (type: string, workflowId: string, args?: readonly unknown[]) => Promise<unknown>;

/**
 * Runs `body` with a worker for the activities of a module, and for workflows on a task queue of its own: the harness has
 * a worker on the usual one, which knows the activities of deploys alone.
 */
export async function withOwnWorker<T>(
  { env, client }: Awaited<ReturnType<typeof createTemporal>>,
  options: ModuleWorkerOptions & { readonly taskQueue: string },
  body: (execute: Execute) => Promise<T>,
): Promise<T> {
  const { taskQueue } = options;
  const worker = await startModuleWorker(env.nativeConnection, options);
  try {
    return await body((type, workflowId, args = []) =>
      client.workflow.execute(type, { taskQueue, workflowId, args: [...args] }),
    );
  } finally {
    await worker.stop();
  }
}
