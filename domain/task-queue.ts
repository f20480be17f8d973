/**
 * The one Temporal task queue. Every further queue costs each worker process 30 to 50 MiB, because the SDK gives each a
 * thread with all workflows loaded; modules are told apart by the names of their workflows and activities.
 */
export const TASK_QUEUE = 'fairlead';
