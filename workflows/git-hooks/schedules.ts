import { GIT_HOOKS_WORKFLOWS } from '../../domain/git-hooks/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

export const gitHooksSchedules: readonly ScheduleDefinition[] = [
  {
    id: 'look-again-at-pushes',
    cron: '*/10 * * * *',
    workflowType: GIT_HOOKS_WORKFLOWS.lookAgain,
    overlap: 'SKIP',
    catchupWindow: '1m',
    runTimeout: '30m',
    atStart: false,
  },
];
