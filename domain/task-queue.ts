/**
 * The task queue of all workflows, and of the activities that every worker serves. A further queue with workflows would
 * cost each worker process 30 to 50 MiB, because the SDK gives each a thread with all of them loaded.
 */
export const TASK_QUEUE = 'fairlead';

/**
 * The queue of the activities of a module that a worker may have no settings for. Such a worker does not poll it: the
 * activities wait for one that has them. Workflows need no settings, so any worker runs those. A queue of activities
 * alone costs a worker process about 0.1 MiB.
 */
export function moduleTaskQueue(module: string): string {
  return `${TASK_QUEUE}/${module}`;
}
