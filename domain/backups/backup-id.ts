import { createHash } from 'node:crypto';
import { formatId } from '../ids.ts';
import { type BackedUpDatabase, groupKey } from './backup.ts';
import type { Night } from './night.ts';

/** The id of the backup of a database in a night: the same whoever makes it, so that a night that is repeated makes no second one. */
export function nightlyBackupId(night: Night, database: BackedUpDatabase): string {
  return formatId(
    'backup',
    createHash('sha256')
      .update(`${night} ${groupKey(database)}`)
      .digest(),
  );
}
