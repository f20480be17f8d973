import type { NativeConnection } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { createActivityInterceptor } from '../../adapters/temporal/activity-interceptor.ts';
import { moduleTaskQueue, TASK_QUEUE } from '../../domain/task-queue.ts';
import { testWorkflowBundle } from './workflow-bundle.ts';

export interface ModuleWorkerOptions {
  readonly module: string;
  readonly activities: object;
  /** Where the workflows run. */
  readonly taskQueue?: string;
}

/** Every workflow, and the activities of a module on its own queue alone, as a worker process has them. */
export async function startModuleWorker(connection: NativeConnection, options: ModuleWorkerOptions) {
  const { module, activities, taskQueue = TASK_QUEUE } = options;
  const workflowBundle = await testWorkflowBundle();
  const interceptors = { activity: [() => ({ inbound: createActivityInterceptor(() => 'err_test') })] };
  const workers = [
    await Worker.create({ connection, taskQueue, workflowBundle }),
    await Worker.create({ connection, taskQueue: moduleTaskQueue(module), activities, interceptors }),
  ];
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    stop: async (): Promise<void> => {
      for (const worker of workers) worker.shutdown();
      await running;
    },
  };
}

export type ModuleWorker = Awaited<ReturnType<typeof startModuleWorker>>;
