import type { DayBar, DayState } from '../../domain/status-page/status-view.ts';
import { type Html, html } from '../http/pages/html.ts';

/** Units of the drawing: a bar and the gap behind it. */
const PITCH = 4;
const HEIGHT = 28;

/** Each state has a shape of its own, so that nobody has to tell colours apart: from where a bar goes down, and how far. */
const SHAPES: Readonly<Record<DayState, readonly [top: number, length: number]>> = {
  up: [0, HEIGHT],
  degraded: [7, HEIGHT - 7],
  maintenance: [14, HEIGHT - 14],
  down: [HEIGHT - 9, 9],
  none: [HEIGHT - 2, 2],
};

const DRAWN = Object.keys(SHAPES) as readonly DayState[];

/**
 * The days of a component as one drawing: one path for each state, so that 90 days are some hundred bytes.
 * @param days oldest first
 * @param label what it shows, in words
 */
export function dayBars(days: readonly DayBar[], label: string): Html {
  return html`<svg class="bars" viewBox="0 0 ${days.length * PITCH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">
${DRAWN.map((state) => statePath(days, state))}</svg>`;
}

function statePath(days: readonly DayBar[], state: DayState): Html | false {
  const [top, length] = SHAPES[state];
  let path = '';
  let at = 0;
  days.forEach((day, index) => {
    if (day.state !== state) return;
    // From the end of the bar before: relative moves are the shortest.
    path += path === '' ? `M${index * PITCH + 1.5} ${top}v${length}` : `m${(index - at) * PITCH}-${length}v${length}`;
    at = index;
  });
  return path !== '' && html`<path class="${state}" d="${path}"/>`;
}

/** Such as `99.95 % up in 90 days; down on 2 days, last on 2026-10-03; no data for 10 days`. */
export function barsLabel(days: readonly DayBar[], uptime: string): string {
  const count = (state: DayState): number => days.filter((day) => day.state === state).length;
  const lastDown = days.findLast(({ state }) => state === 'down');
  const parts = [
    `${uptime} in ${days.length} days`,
    lastDown === undefined ? null : `down on ${counted(count('down'))}, last on ${lastDown.day}`,
    count('degraded') === 0 ? null : `degraded on ${counted(count('degraded'))}`,
    count('maintenance') === 0 ? null : `maintenance on ${counted(count('maintenance'))}`,
    count('none') === 0 ? null : `no data for ${counted(count('none'))}`,
  ];
  return parts.filter((part) => part !== null).join('; ');
}

const counted = (days: number): string => (days === 1 ? '1 day' : `${days} days`);
