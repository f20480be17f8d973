import { BACKUPS_WORKFLOWS } from '../../domain/backups/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

const EVERY_NIGHT = { overlap: 'SKIP', catchupWindow: '1d', runTimeout: '20h', atStart: false } as const;

/** The nights of backups, UTC (spec 2, "Limits"). @param hourUtc BACKUP_CRON_HOUR_UTC */
export function backupsSchedules(hourUtc = 2): readonly ScheduleDefinition[] {
  const { nightlyBackups, mirrorBackups, verifyBackups, dropKeptDatabases } = BACKUPS_WORKFLOWS;
  return [
    { id: 'nightly-backups', cron: `0 ${hourUtc} * * *`, workflowType: nightlyBackups, ...EVERY_NIGHT },
    { id: 'mirror-backups', cron: '30 3 * * *', workflowType: mirrorBackups, ...EVERY_NIGHT },
    { id: 'drop-kept-databases', cron: '45 5 * * *', workflowType: dropKeptDatabases, ...EVERY_NIGHT },
    { id: 'verify-backups', cron: '30 4 * * *', workflowType: verifyBackups, ...EVERY_NIGHT },
  ];
}
