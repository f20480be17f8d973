import { WORKFLOW_TYPES } from '../../domain/deploys/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

export const deploysSchedules: readonly ScheduleDefinition[] = [
  {
    id: 'reconcile-deploys',
    cron: '* * * * *',
    workflowType: WORKFLOW_TYPES.reconcileDeploys,
    overlap: 'SKIP',
    catchupWindow: '1m',
    runTimeout: '30m',
    atStart: true,
  },
  {
    id: 'prune-images',
    cron: '0 4 * * *',
    workflowType: WORKFLOW_TYPES.pruneImages,
    overlap: 'SKIP',
    catchupWindow: '1h',
    runTimeout: '30m',
    atStart: false,
  },
];
