import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { PlatformBackupActivities } from '../../activities/platform-backup/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const taskQueue = moduleTaskQueue('platform-backup');
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' } as const;

type Records = Pick<PlatformBackupActivities, 'openPlatformBackup' | 'planPlatformNight' | 'reportPlatformNight'>;

/** Records and mails: retried for as long as the database, the place or the mail server may be away in a night. */
export const { openPlatformBackup, planPlatformNight, reportPlatformNight } = proxyActivities<Records>({
  taskQueue,
  startToCloseTimeout: '2m',
  scheduleToCloseTimeout: '3h',
  retry,
});

type Ends = Pick<PlatformBackupActivities, 'completePlatformBackup' | 'failPlatformBackup' | 'prunePlatformBackups'>;

export const { completePlatformBackup, failPlatformBackup, prunePlatformBackups } = proxyActivities<Ends>({
  taskQueue,
  startToCloseTimeout: '15m',
  scheduleToCloseTimeout: '3h',
  heartbeatTimeout: '30s',
  retry,
});

/** An attempt whose worker died, or that met a server that was away, is made up for; what is refused is not tried again. */
export function transfers(timeoutMs: number): Pick<PlatformBackupActivities, 'storePlatformPart'> {
  return proxyActivities<Pick<PlatformBackupActivities, 'storePlatformPart'>>({
    taskQueue,
    startToCloseTimeout: timeoutMs,
    scheduleToCloseTimeout: timeoutMs,
    heartbeatTimeout: '10s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { ...retry, maximumAttempts: 5 },
  });
}
