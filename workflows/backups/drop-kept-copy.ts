import type { CopyDropRequest } from '../../domain/backups/messages.ts';
import { dropKeptCopy as drop } from './activity-proxies.ts';

/**
 * Drops the database that a restore has kept, before its time; id `drop-kept-copy/<restore>`. What could not be dropped within a
 * day, `dropKeptDatabases` tries again each night, and says so.
 */
export async function dropKeptCopy(request: CopyDropRequest): Promise<void> {
  await drop(request);
}
