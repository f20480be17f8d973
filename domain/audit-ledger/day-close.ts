import type { Hash } from './event.ts';

/** A UTC day, as `2026-11-21`. */
export type Day = string;

/** Type of the event that closes a day of a namespace; its `data` is a {@link DayClose}. */
export const DAY_CLOSED = 'ledger.day_closed';

/**
 * What one namespace held on one UTC day. It is appended to the namespace's own chain as an event of type
 * {@link DAY_CLOSED} once the day is over; events of the next day may stand before it. As times never go back within a
 * chain, nothing can join the day after it. The close belongs to the batch of the day it closes.
 */
export interface DayClose {
  readonly day: Day;
  readonly namespace: string;
  /** Events with a time of the day; closes are not counted, neither this one nor those of earlier days. */
  readonly count: number;
  /** Chain indexes of the first and last of them; null on a day without events. */
  readonly firstIndex: number | null;
  readonly lastIndex: number | null;
  /** Hash of the last event before the close; the zero hash where the close is the first event. */
  readonly head: Hash;
}

/** Type of the event in the ledger's own namespace that closes a day of the whole ledger. */
export const LEDGER_CLOSED = 'ledger.closed';

/** Which namespaces a day has: one that is left out shows. Appended last, to the ledger's own namespace. */
export interface LedgerClose {
  readonly day: Day;
  /** Ordered by name. */
  readonly namespaces: readonly { readonly namespace: string; readonly closeHash: Hash; readonly count: number }[];
  /** Root of the batch before; the zero hash for the first. */
  readonly previousRoot: Hash;
}

/** Closes belong to the day they close, whenever they were written. */
export function isClose(eventType: string): boolean {
  return eventType === DAY_CLOSED || eventType === LEDGER_CLOSED;
}
