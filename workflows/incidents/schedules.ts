import { INCIDENT_WORKFLOWS } from '../../domain/incidents/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

/** What of incidents runs by the clock, UTC. */
export const incidentsSchedules: readonly ScheduleDefinition[] = [
  {
    id: 'resume-escalations',
    cron: '3-59/5 * * * *',
    workflowType: INCIDENT_WORKFLOWS.resumeEscalations,
    overlap: 'SKIP',
    catchupWindow: '1m',
    runTimeout: '30m',
    atStart: true,
  },
];
