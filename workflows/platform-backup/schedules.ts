import { PLATFORM_BACKUP_WORKFLOWS } from '../../domain/platform-backup/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

/** The nights, UTC. @param hourUtc BACKUP_CRON_HOUR_UTC */
export function platformBackupSchedules(hourUtc = 2): readonly ScheduleDefinition[] {
  return [
    {
      id: 'nightly-platform-backup',
      cron: `15 ${hourUtc} * * *`,
      workflowType: PLATFORM_BACKUP_WORKFLOWS.nightlyPlatformBackup,
      overlap: 'SKIP',
      catchupWindow: '1d',
      runTimeout: '20h',
      atStart: false,
    },
  ];
}
