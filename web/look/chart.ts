import { type Html, html } from '../../api/http/pages/html.ts';

/** One bar: a day, or whatever else stands below it. */
export interface Bar {
  readonly label: string;
  /** 0 or more. */
  readonly value: number;
}

export interface BarChart {
  /** What it shows, for screen readers and as the heading of its table. */
  readonly title: string;
  readonly bars: readonly Bar[];
  /** Such as `tokens`. */
  readonly unit: string;
}

const [WIDTH, HEIGHT] = [720, 200];
/** Room for letters as large as they are on a phone. */
const [LEFT, TOP, BOTTOM] = [2, 36, 34];
const GAP = 0.28;

/**
 * Bars drawn by the server. Sizes and places are attributes, colours are classes: the page allows no inline style. What it
 * draws stands in a table as well, for whoever cannot see it.
 */
export function barChart({ title, bars, unit }: BarChart): Html {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const step = (WIDTH - 2 * LEFT) / Math.max(1, bars.length);
  const room = HEIGHT - TOP - BOTTOM;
  return html`<figure class="chart"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<line class="chart-grid" x1="${LEFT}" y1="${TOP}" x2="${WIDTH - LEFT}" y2="${TOP}"></line>
<text class="chart-most" x="${LEFT}" y="${TOP - 9}">${`${whole(most)} ${unit}`}</text>
${bars.map(({ label, value }, index) => {
  const height = value === 0 ? 0 : Math.max(2, (value / most) * room);
  const x = LEFT + index * step + (step * GAP) / 2;
  return html`<g><title>${`${label}: ${whole(value)} ${unit}`}</title>
<rect class="chart-slot" x="${round(LEFT + index * step)}" y="${TOP}" width="${round(step)}" height="${room}"></rect>
<rect class="chart-bar" x="${round(x)}" y="${round(TOP + room - height)}" width="${round(step * (1 - GAP))}" height="${round(height)}" rx="2"></rect></g>`;
})}
<line class="chart-axis" x1="${LEFT}" y1="${TOP + room}" x2="${WIDTH - LEFT}" y2="${TOP + room}"></line>
${ends(bars)}</svg>
<details class="disclosure chart-table"><summary>As a table</summary><table class="table"><caption class="unseen">${title}</caption>
<tbody>${bars.map(({ label, value }) => html`<tr><th scope="row">${label}</th><td class="number">${whole(value)}</td></tr>`)}</tbody></table></details></figure>`;
}

/** The first and the last label: all of them would not fit a phone. */
function ends(bars: readonly Bar[]): Html {
  const [first, last] = [bars[0], bars.at(-1)];
  return html`${first !== undefined && html`<text class="chart-label" x="${LEFT}" y="${HEIGHT - 9}">${first.label}</text>`}${
    last !== undefined &&
    last !== first &&
    html`<text class="chart-label chart-end" x="${WIDTH - LEFT}" y="${HEIGHT - 9}">${last.label}</text>`
  }`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** With a thin space between thousands. */
export function whole(value: number): string {
  return value.toLocaleString('en-GB').replaceAll(',', '\u202f');
}
