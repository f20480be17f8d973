import { LOGS_WORKFLOWS } from '../../domain/logs/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

export const logsSchedules: readonly ScheduleDefinition[] = [
  {
    id: 'collect-output',
    cron: '* * * * *',
    workflowType: LOGS_WORKFLOWS.collectOutput,
    // One waits while one runs, and begins as soon as that has ended.
    overlap: 'BUFFER_ONE',
    catchupWindow: '1m',
    runTimeout: '20h',
    atStart: true,
  },
];
