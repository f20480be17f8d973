/** A duration for people: `0.3s`, `4.2s`, `1m 05s`, `2h 03m`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${pad(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h ${pad(Math.floor((whole % 3600) / 60))}m`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** How long ago an ISO time was: `now`, `5m ago`, `3d ago`; an empty string for null. */
export function formatAge(iso: string | null | undefined, now: Date): string {
  if (iso === null || iso === undefined) return '';
  const seconds = Math.round((now.getTime() - Date.parse(iso)) / 1000);
  if (Number.isNaN(seconds)) return iso;
  const unit = UNITS.find(([, size]) => seconds >= size);
  return unit === undefined ? 'now' : `${Math.floor(seconds / unit[1])}${unit[0]} ago`;
}

/** An ISO time to the second, in UTC: `2026-11-21 13:05:11`; what is none stays as it is. */
export function formatMoment(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : time.toISOString().slice(0, 19).replace('T', ' ');
}

/** Milliseconds between two ISO times, or until now while there is no end; null before the start. */
export function elapsedMs(start: string | null | undefined, end: string | null | undefined, now: Date): number | null {
  if (start === null || start === undefined) return null;
  return (end === null || end === undefined ? now.getTime() : Date.parse(end)) - Date.parse(start);
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}
