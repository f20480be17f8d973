import { nightOf } from '../../domain/backups/night.ts';
import { scheduledTime } from '../scheduled-time.ts';
import { dropKeptCopies } from './activity-proxies.ts';
import { tellOfNight } from './tell-of-night.ts';

/** Drops the databases that restores have kept for DATABASE_GRACE_DAYS; schedule `drop-kept-databases`. What cannot be dropped raises an alarm. */
export async function dropKeptDatabases(): Promise<{ readonly dropped: number; readonly failed: number }> {
  const { dropped, problems } = await dropKeptCopies();
  await tellOfNight({ night: nightOf(scheduledTime()), run: 'kept', problems });
  return { dropped, failed: problems.length };
}
