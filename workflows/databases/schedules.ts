import { DATABASE_WORKFLOWS } from '../../domain/databases/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

/** Before the nightly backups, at the hour of the fewest deploys. */
export const databasesSchedules: readonly ScheduleDefinition[] = [
  {
    id: 'rotate-database-logins',
    cron: '30 0 * * *',
    workflowType: DATABASE_WORKFLOWS.rotateLogins,
    overlap: 'SKIP',
    catchupWindow: '1d',
    runTimeout: '20h',
    atStart: false,
  },
];
