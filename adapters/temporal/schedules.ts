import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { ScheduleDefinition } from '../../domain/schedule.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';

/** Brings the server's schedules in line with the table: creates, updates, and runs those that want it at start. */
export async function ensureSchedules(client: Client, definitions: readonly ScheduleDefinition[]): Promise<void> {
  for (const definition of definitions) {
    const options = scheduleOptions(definition);
    const handle = client.schedule.getHandle(definition.id);
    try {
      await client.schedule.create(options);
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await handle.update((previous) => ({ ...previous, ...options }));
    }
    if (definition.atStart) await handle.trigger(ScheduleOverlapPolicy.SKIP);
  }
}

function scheduleOptions(definition: ScheduleDefinition) {
  return {
    scheduleId: definition.id,
    spec: { cronExpressions: [definition.cron], timezone: 'UTC' },
    policies: { overlap: ScheduleOverlapPolicy[definition.overlap], catchupWindow: definition.catchupWindow },
    action: {
      type: 'startWorkflow' as const,
      workflowType: definition.workflowType,
      workflowId: definition.id,
      taskQueue: TASK_QUEUE,
      args: [],
      workflowRunTimeout: definition.runTimeout,
    },
  };
}
