import type { Db } from 'mongodb';
import { INDEXES as AUDIT_INDEXES } from './audit/indexes.ts';
import { ensureIndexes } from './ensure-indexes.ts';
import { INDEXES as LOCKER_INDEXES } from './locker/indexes.ts';

/** The indexes of the locker. @throws UNAVAILABLE */
export async function createLockerIndexes(db: Db): Promise<void> {
  await ensureIndexes(db, { ...LOCKER_INDEXES, ...AUDIT_INDEXES });
}
