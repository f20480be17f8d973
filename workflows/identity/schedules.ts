import { IDENTITY_WORKFLOWS } from '../../domain/identity/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

export const identitySchedules: readonly ScheduleDefinition[] = [
  {
    id: 'rotate-signing-keys',
    cron: '17 * * * *',
    workflowType: IDENTITY_WORKFLOWS.rotateSigningKeys,
    overlap: 'SKIP',
    catchupWindow: '1h',
    runTimeout: '30m',
    atStart: false,
  },
];
