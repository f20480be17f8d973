import { SHARING_WORKFLOWS } from '../../domain/authorized-orgs/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

export const sharingSchedules: readonly ScheduleDefinition[] = [
  {
    id: 'reconcile-git-access',
    cron: '41 * * * *',
    workflowType: SHARING_WORKFLOWS.reconcileGitAccess,
    overlap: 'SKIP',
    catchupWindow: '1h',
    runTimeout: '55m',
    atStart: false,
  },
];
