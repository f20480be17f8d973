import { type Html, html } from '../../api/http/pages/html.ts';

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

/** A moment by how long ago it was; its exact time is there as well. @param iso UTC, as the API gives it */
export function ago(iso: string, now: Date): Html {
  const seconds = Math.round((now.getTime() - Date.parse(iso)) / 1_000);
  return html`<time datetime="${iso}" title="${exact(iso)}" data-ago>${agoText(seconds, iso)}</time>`;
}

/** Such as `2026-11-23 09:30:12 UTC`. */
export function exact(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

/** A moment to the second. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}">${exact(iso)}</time>`;
}

function agoText(seconds: number, iso: string): string {
  if (seconds < -MINUTE) return exact(iso);
  if (seconds < 10) return 'just now';
  if (seconds < MINUTE) return `${seconds} s ago`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h ago`;
  if (seconds < 30 * DAY) return `${Math.floor(seconds / DAY)} d ago`;
  return iso.slice(0, 10);
}

/** Such as `850 ms`, `12 s`, `3 min 20 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ${seconds % MINUTE} s`;
  return `${Math.floor(seconds / HOUR)} h ${Math.floor((seconds % HOUR) / MINUTE)} min`;
}
