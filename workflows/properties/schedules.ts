import { PROPERTY_WORKFLOWS } from '../../domain/properties/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

/** Where there is a domain map. */
export const SYNC_SCHEDULE: ScheduleDefinition = {
  id: 'property-sync',
  cron: '40 3 * * *',
  workflowType: PROPERTY_WORKFLOWS.syncDaily,
  overlap: 'SKIP',
  catchupWindow: '1d',
  runTimeout: '55m',
  atStart: true,
};

/** Where the search engine is asked. */
export const VERIFICATION_SCHEDULES: readonly ScheduleDefinition[] = [
  {
    id: 'verify-resume',
    cron: '*/5 * * * *',
    workflowType: PROPERTY_WORKFLOWS.resumeVerifications,
    overlap: 'SKIP',
    catchupWindow: '1m',
    runTimeout: '30m',
    atStart: false,
  },
  {
    id: 'property-recheck',
    cron: '20 4 * * 1',
    workflowType: PROPERTY_WORKFLOWS.recheckProperties,
    overlap: 'SKIP',
    catchupWindow: '1d',
    runTimeout: '20h',
    atStart: false,
  },
];

export const propertiesSchedules: readonly ScheduleDefinition[] = [SYNC_SCHEDULE, ...VERIFICATION_SCHEDULES];
