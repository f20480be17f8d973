const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const FIRST_WAIT_MS = 5 * SECOND;
const LONGEST_IN_FIRST_HOUR_MS = 5 * MINUTE;

/** A name that did not get there in this time has failed; `verify` begins anew. */
export const PENDING_LIMIT_MS = 30 * 24 * HOUR;

/** How often a name that is served is looked at. */
export const ACTIVE_LOOK_MS = HOUR;

/** A record that was lost is looked at sooner: three looks take half an hour. */
export const LOST_LOOK_MS = 15 * MINUTE;

/**
 * How long to wait after something that could not be done: 5 s, doubled up to an hour, of which a random part is left out, so
 * that the names of one org do not all come again at once.
 * @param times that it was not done, one after the other @param random from 0 to 1
 * @param leastMs what whoever put it off asked for @returns milliseconds
 */
export function waitAfterDelay(times: number, random: number, leastMs: number): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** Math.min(times, 16), HOUR);
  return Math.max(full * (0.5 + random / 2), leastMs);
}

/**
 * How long to wait after a look at a name that is not there yet: 5 s, doubled up to 5 minutes, in the first hour; hourly
 * after it. @param looks that were made since it began to be pending @returns milliseconds
 */
export function waitAfterLook(looks: number, pendingForMs: number): number {
  const left = Math.max(0, PENDING_LIMIT_MS - pendingForMs);
  if (pendingForMs >= HOUR) return Math.min(HOUR, left);
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(looks - 1, 16), LONGEST_IN_FIRST_HOUR_MS, left);
}
