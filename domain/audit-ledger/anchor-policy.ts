/**
 * When the anchoring of a day is tried (spec 3, "Anchoring"): at 00:10 UTC and again every hour until 03:10, each chain by
 * itself. Started by hand at another time of day, it is tried at once and then at ten past the hour for three hours.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PAST_THE_HOUR_MS = 10 * MINUTE_MS;
const LAST_OF_THE_NIGHT_MS = 3 * HOUR_MS + PAST_THE_HOUR_MS;

/**
 * Moment of the attempt after `now` of an anchoring that began at `startedAt`; null when there is none left. All are
 * milliseconds since 1970, in which a UTC day always has 24 hours.
 */
export function nextAttempt(startedAt: number, now: number): number | null {
  const hour = Math.floor((now - PAST_THE_HOUR_MS) / HOUR_MS);
  const next = (hour + 1) * HOUR_MS + PAST_THE_HOUR_MS;
  return next <= lastAttempt(startedAt) ? next : null;
}

/** Moment after which no attempt begins. */
export function lastAttempt(startedAt: number): number {
  const timeOfDay = startedAt % DAY_MS;
  const atNight = timeOfDay <= LAST_OF_THE_NIGHT_MS;
  return atNight ? startedAt - timeOfDay + LAST_OF_THE_NIGHT_MS : startedAt + 3 * HOUR_MS;
}
