import { type Day, isClose } from './day-close.ts';
import { dayOf } from './days.ts';
import type { LedgerEvent } from './event.ts';

/** The day whose batch holds an event: the day of its time, or the one it closes, which a close names as its entity. */
export function batchDayOf({ eventType, entityId, createdAt }: LedgerEvent): Day {
  return isClose(eventType) ? entityId : dayOf(createdAt);
}
