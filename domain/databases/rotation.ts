import type { DatabaseRecord } from './record.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** True while a rotation has begun and not ended: a login is prepared, or the one before is valid still. */
export function isBeingRotated({ next, retiring }: Pick<DatabaseRecord, 'next' | 'retiring'>): boolean {
  return next !== null || retiring !== null;
}

/** When the login of a database is old enough for a new one (spec 2, ROTATION_TTL_DAYS). */
export function rotationDueAt({ login }: Pick<DatabaseRecord, 'login'>, ttlDays: number): Date {
  return new Date(login.issuedAt.getTime() + ttlDays * DAY_MS);
}

/** Whether a night has something to do for a database: a rotation that is due, or one that did not come to its end. */
export function needsRotation(record: DatabaseRecord, ttlDays: number, now: Date): boolean {
  return record.state === 'active' && (isBeingRotated(record) || rotationDueAt(record, ttlDays) <= now);
}
