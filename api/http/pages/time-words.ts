import { type Html, html } from './html.ts';

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

/** A moment to the second, in UTC. */
export function momentOf(time: Date): Html {
  const text = time.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

/** Such as `12 s`, `3 min`, `2 h 5 min`, `4 d 2 h`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return two(Math.floor(seconds / HOUR), 'h', Math.floor((seconds % HOUR) / MINUTE), 'min');
  return two(Math.floor(seconds / DAY), 'd', Math.floor((seconds % DAY) / HOUR), 'h');
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
