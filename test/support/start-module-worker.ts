import type { NativeConnection } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { createActivityInterceptor } from '../../adapters/temporal/activity-interceptor.ts';
import { moduleTaskQueue, TASK_QUEUE } from '../../domain/task-queue.ts';
import { testWorkflowBundle } from './workflow-bundle.ts';

export interface ModuleWorkerOptions {
  readonly module: string;
  readonly activities: object;
  /** How many of its activities run at once; many where it is left out. */
  readonly slots?: number;
  /** Of further modules, each on its own queue, and how many run at once. */
  readonly others?: Readonly<Record<string, { readonly activities: object; readonly slots: number }>>;
  /** Where the workflows run. */
  readonly taskQueue?: string;
  /** 0: every step of a workflow is replayed from its beginning, by whichever worker is there. */
  readonly maxCachedWorkflows?: number;
}

/** Every workflow, and the activities of a module on its own queue alone, as a worker process has them. */
export async function startModuleWorker(connection: NativeConnection, options: ModuleWorkerOptions) {
  const { module, activities, slots = 100, others = {}, taskQueue = TASK_QUEUE, maxCachedWorkflows } = options;
  const cache = maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows };
  const workflowBundle = await testWorkflowBundle();
  const interceptors = { activity: [() => ({ inbound: createActivityInterceptor(() => 'err_test') })] };
  const workers = [
    await Worker.create({ connection, taskQueue, workflowBundle, ...cache }),
    ...(await Promise.all(
      Object.entries({ [module]: { activities, slots }, ...others }).map(([name, own]) =>
        Worker.create({
          ...{ connection, interceptors, taskQueue: moduleTaskQueue(name), activities: own.activities },
          maxConcurrentActivityTaskExecutions: own.slots,
        }),
      ),
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
