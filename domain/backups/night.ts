/** A night is the UTC day on which it begins to be backed up: no clock change moves it. `2026-03-29` */
export type Night = string;

const DAY_MS = 86_400_000;

export function nightOf(moment: Date | number): Night {
  return new Date(moment).toISOString().slice(0, 10);
}

/** @param count may be negative */
export function addNights(night: Night, count: number): Night {
  return nightOf(Date.parse(night) + count * DAY_MS);
}

/** When the next night begins to be backed up. @param hourUtc BACKUP_CRON_HOUR_UTC */
export function nextNightAt(now: Date, hourUtc: number): Date {
  const today = Date.parse(nightOf(now)) + hourUtc * 3_600_000;
  return new Date(today > now.getTime() ? today : today + DAY_MS);
}

/** Nights after the first and before the last, neither included. */
export function nightsBetween(first: Night, last: Night): readonly Night[] {
  const count = Math.max(0, (Date.parse(last) - Date.parse(first)) / DAY_MS - 1);
  return Array.from({ length: count }, (_, index) => addNights(first, index + 1));
}

/** Monthly on the 1st, which goes before a Sunday; weekly on Sundays; daily otherwise (spec 2, "Limits", "Retention"). */
export function tierOfNight(night: Night): 'daily' | 'weekly' | 'monthly' {
  const date = new Date(night);
  if (date.getUTCDate() === 1) return 'monthly';
  return date.getUTCDay() === 0 ? 'weekly' : 'daily';
}
