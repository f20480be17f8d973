import type { NativeConnection } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { createActivityInterceptor } from '../../adapters/temporal/activity-interceptor.ts';
import { moduleTaskQueue, TASK_QUEUE } from '../../domain/task-queue.ts';
import { testWorkflowBundle } from './workflow-bundle.ts';

export interface ModuleWorkerOptions {
  readonly module: string;
  readonly activities: object;
  /** Of further modules, each on its own queue, and how many run at once. */
  readonly others?: Readonly<Record<string, { readonly activities: object; readonly slots: number }>>;
  /** Where the workflows run. */
  readonly taskQueue?: string;
  /** 0: every step of a workflow is replayed from its beginning, by whichever worker is there. */
  readonly maxCachedWorkflows?: number;
}

/** Every workflow, and the activities of a module on its own queue alone, as a worker process has them. */
export async function startModuleWorker(connection: NativeConnection, options: ModuleWorkerOptions) {
  const { module, activities, others = {}, taskQueue = TASK_QUEUE, maxCachedWorkflows } = options;
  const cache = maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows };
  const workflowBundle = await testWorkflowBundle();
  const interceptors = { activity: [() => ({ inbound: createActivityInterceptor(() => 'err_test') })] };
  const workers = [
    await Worker.create({ connection, taskQueue, workflowBundle, ...cache }),
    await Worker.create({ connection, taskQueue: moduleTaskQueue(module), activities, interceptors }),
    ...(await Promise.all(
      Object.entries(others).map(([name, { activities: theirs, slots }]) => {
        const own = { taskQueue: moduleTaskQueue(name), maxConcurrentActivityTaskExecutions: slots };
        return Worker.create({ connection, ...own, activities: theirs, interceptors });
      }),
    )),
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
