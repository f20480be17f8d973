import { DEPLOYS_TASK_QUEUE, WORKFLOW_TYPES } from '../domain/deploys/messages.ts';
import { IDENTITY_TASK_QUEUE, IDENTITY_WORKFLOWS } from '../domain/identity/messages.ts';
import type { ScheduleDefinition } from '../domain/schedule.ts';

/** The one table of every schedule. */
export const SCHEDULES: readonly ScheduleDefinition[] = [
  {
    id: 'reconcile-deploys',
    cron: '* * * * *',
    workflowType: WORKFLOW_TYPES.reconcileDeploys,
    taskQueue: DEPLOYS_TASK_QUEUE,
    overlap: 'SKIP',
    catchupWindow: '1m',
    atStart: true,
  },
  {
    id: 'prune-images',
    cron: '0 4 * * *',
    workflowType: WORKFLOW_TYPES.pruneImages,
    taskQueue: DEPLOYS_TASK_QUEUE,
    overlap: 'SKIP',
    catchupWindow: '1h',
    atStart: false,
  },
  {
    id: 'rotate-signing-keys',
    cron: '17 * * * *',
    workflowType: IDENTITY_WORKFLOWS.rotateSigningKeys,
    taskQueue: IDENTITY_TASK_QUEUE,
    overlap: 'SKIP',
    catchupWindow: '1h',
    atStart: false,
  },
];
