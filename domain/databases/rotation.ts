import type { DatabaseRecord, RotationWait } from './record.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** True while a rotation has begun and not ended: a login is prepared, or the one before is valid still. */
export function isBeingRotated({ next, retiring }: Pick<DatabaseRecord, 'next' | 'retiring'>): boolean {
  return next !== null || retiring !== null;
}

/** Since when a rotation is under way: when its login was made; null where none is. */
export function rotationBegunAt({ next, retiring, login }: DatabaseRecord): Date | null {
  return next?.issuedAt ?? (retiring === null ? null : login.issuedAt);
}

/** What a rotation that is under way waits for, as its record says; `server`: the server of the database has to accept its login. */
export interface RotationWaitsFor extends Omit<RotationWait, 'for' | 'buildId'> {
  readonly for: RotationWait['for'] | 'server';
  readonly buildId: string | null;
}

/**
 * Null where no rotation has begun.
 * @param isAtWork whether an attempt at it is at work now: then it waits for no night
 */
export function rotationWaitsFor(record: DatabaseRecord, isAtWork: boolean): RotationWaitsFor | null {
  const begunAt = rotationBegunAt(record);
  if (begunAt === null) return null;
  const { waits, next } = record;
  const now = { for: next === null ? 'restart' : 'server', buildId: null, reason: null, since: begunAt } as const;
  if (waits === null) return now;
  return isAtWork && waits.for === 'next-night' ? { ...now, reason: waits.reason } : waits;
}

/** When the login of a database is old enough for a new one (spec 2, ROTATION_TTL_DAYS). */
export function rotationDueAt({ login }: Pick<DatabaseRecord, 'login'>, ttlDays: number): Date {
  return new Date(login.issuedAt.getTime() + ttlDays * DAY_MS);
}

/** Whether a night has something to do for a database: a rotation that is due, or one that did not come to its end. */
export function needsRotation(record: DatabaseRecord, ttlDays: number, now: Date): boolean {
  return record.state === 'active' && (isBeingRotated(record) || rotationDueAt(record, ttlDays) <= now);
}
