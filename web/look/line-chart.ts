import { nice, ticks } from 'd3-array';
import { area, line } from 'd3-shape';
import { type Html, html } from '../../api/http/pages/html.ts';

/** One moment of a line. */
export interface Point {
  readonly label: string;
  /** 0 or more; null where nothing is known: the line has a gap there. */
  readonly value: number | null;
}

export interface LineChart {
  /** What it shows, for screen readers. */
  readonly title: string;
  /** The oldest first. */
  readonly points: readonly Point[];
  /** Writes a value with its unit, such as `1 200 clicks`. */
  readonly write: (value: number) => string;
  /** Writes a value of the scale, in few letters, such as `1.2K`. */
  readonly mark: (value: number) => string;
  /** Values are counts: no line of the scale stands between two of them. */
  readonly whole?: true;
  /** The lower the better, as a place in a list: 1 stands at the top. */
  readonly bestIsLow?: true;
}

const [WIDTH, HEIGHT] = [480, 190];
/** Room for letters as large as they are on a phone. */
const [LEFT, RIGHT, TOP, BOTTOM] = [54, 6, 14, 28];
const PLOT = WIDTH - LEFT - RIGHT;
const ROOM = HEIGHT - TOP - BOTTOM;
const LINES = 3;
/** Where there are more, a pointer cannot meet one of them. */
const MOST_SLOTS = 200;

interface Scale {
  readonly low: number;
  readonly high: number;
  readonly bestIsLow: boolean;
}

/**
 * A line drawn by the server; its shape is made by d3. Sizes and places are attributes, colours are classes: the page allows
 * no inline style. The page that shows it has the values as a table as well, for whoever cannot see it.
 */
export function lineChart({ title, points, write, mark, whole = undefined, bestIsLow = undefined }: LineChart): Html {
  const known = points.flatMap(({ value }) => value ?? []);
  const scale = scaleOf(known, { isWhole: whole === true, bestIsLow: bestIsLow === true });
  const marks = marksOf(scale).filter((value) => whole !== true || Number.isInteger(value));
  const x = (index: number): number =>
    points.length === 1 ? LEFT + PLOT / 2 : LEFT + (index * PLOT) / (points.length - 1);
  const isKnown = ({ value }: Point): boolean => value !== null;
  const shape = { x: (_point: Point, index: number) => x(index), y: ({ value }: Point) => placeOf(scale, value ?? 0) };
  const drawn = line<Point>(shape.x, shape.y).defined(isKnown).digits(1)([...points]) ?? '';
  const below =
    area<Point>(shape.x, TOP + ROOM, shape.y)
      .defined(isKnown)
      .digits(1)([...points]) ?? '';
  return html`<figure class="chart line-chart"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${`${title}: ${summaryOf(points, known, write)}`}">
${points.length <= MOST_SLOTS && points.map((point, index) => slot(point, x(index), PLOT / points.length, write))}
${bestIsLow !== true && html`<path class="chart-area" d="${below}"></path>`}
${marks.map((value) => html`<line class="chart-grid" x1="${LEFT}" y1="${round(placeOf(scale, value))}" x2="${WIDTH - RIGHT}" y2="${round(placeOf(scale, value))}"></line>`)}
<path class="chart-line" d="${drawn}"></path>
<line class="chart-axis" x1="${LEFT}" y1="${TOP + ROOM}" x2="${WIDTH - RIGHT}" y2="${TOP + ROOM}"></line>
${marks.map((value) => html`<text class="chart-mark chart-end" x="${LEFT - 6}" y="${round(placeOf(scale, value) + 4)}">${mark(value)}</text>`)}
${ends(points)}</svg></figure>`;
}

/** Where all are none, the scale ends with one. */
function scaleOf(known: readonly number[], look: { readonly isWhole: boolean; readonly bestIsLow: boolean }): Scale {
  const { isWhole, bestIsLow } = look;
  const low = bestIsLow ? 1 : 0;
  const most = Math.max(low, ...known);
  const [, high] = nice(low, isWhole || most === low ? Math.max(most, low + 1) : most, LINES);
  return { low, high, bestIsLow };
}

/** Values at which the scale has a line; the best place of a list is one of them. */
function marksOf({ low, high, bestIsLow }: Scale): readonly number[] {
  const marks = ticks(low, high, LINES);
  return bestIsLow && marks[0] !== low ? [low, ...marks.filter((value) => value - low > (high - low) / 6)] : marks;
}

function placeOf({ low, high, bestIsLow }: Scale, value: number): number {
  const share = (value - low) / (high - low);
  return bestIsLow ? TOP + share * ROOM : TOP + (1 - share) * ROOM;
}

/** The height of a day, with its value for whoever points at it. */
function slot({ label, value }: Point, x: number, width: number, write: LineChart['write']): Html {
  return html`<rect class="chart-slot" x="${round(x - width / 2)}" y="${TOP}" width="${round(width)}" height="${ROOM}"><title>${`${label}: ${value === null ? 'not known' : write(value)}`}</title></rect>`;
}

function summaryOf(points: readonly Point[], known: readonly number[], write: LineChart['write']): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || known.length === 0) return 'nothing is known';
  const bounds = `between ${write(Math.min(...known))} and ${write(Math.max(...known))}`;
  return `${bounds}, from ${first.label} to ${last.label}`;
}

/** The first and the last label: all of them would not fit a phone. */
function ends(points: readonly Point[]): Html {
  const [first, last] = [points[0], points.at(-1)];
  return html`${first !== undefined && html`<text class="chart-label" x="${LEFT}" y="${HEIGHT - 6}">${first.label}</text>`}${
    last !== undefined &&
    last !== first &&
    html`<text class="chart-label chart-end" x="${WIDTH - RIGHT}" y="${HEIGHT - 6}">${last.label}</text>`
  }`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
