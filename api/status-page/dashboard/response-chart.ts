import type { RollUp } from '../../../domain/monitors/history.ts';
import { ROLL_UPS } from '../../../domain/monitors/history.ts';
import { quantileMs } from '../../../domain/monitors/latency-histogram.ts';
import type { ServiceDeploy } from '../../../domain/status-page/ports.ts';
import { type Html, html } from '../../http/pages/html.ts';

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [720, 180, 56, 10, 20];

interface Point {
  readonly at: number;
  readonly milliseconds: number;
}

/**
 * Response times as a drawing: the median, what one of twenty answers took longer than, and a line where a deploy went live. A time
 * without checks is a gap.
 * @param series by time, all of one length or of several
 * @param deploys of that time
 */
export function responseChart(series: readonly RollUp[], period: Period, deploys: readonly ServiceDeploy[] = []): Html {
  const lines = ([0.5, 0.95] as const).map((quantile) =>
    series.flatMap(({ startsAt, latency }): readonly Point[] => {
      const milliseconds = quantileMs(latency, quantile);
      return milliseconds === null ? [] : [{ at: startsAt.getTime(), milliseconds }];
    }),
  );
  const [median = [], slow = []] = lines;
  if (median.length === 0) return html`<p class="quiet">No response times of this period are kept.</p>`;
  const most = niceCeiling(Math.max(...slow.map(({ milliseconds }) => milliseconds)));
  const gapMs = 2.5 * Math.max(...series.map(({ length }) => ROLL_UPS[length].lengthMs));
  const draw = (points: readonly Point[]): string => path(points, { ...period, most, gapMs });
  const label = `Response times: median at most ${Math.max(...median.map(({ milliseconds }) => milliseconds))} ms, 95 of 100 below ${most} ms`;
  return html`<figure class="chart"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
${[0, 0.5, 1].map((share) => gridLine(share, most))}
${deploys.map((deploy) => deployLine(deploy, period))}
<path class="slow" d="${draw(slow)}"/><path class="median" d="${draw(median)}"/>
</svg><figcaption class="quiet">Solid: the median. Dashed: one of twenty answers took longer.${deploys.length > 0 && ' Upright: a deploy.'}</figcaption></figure>`;
}

function gridLine(share: number, most: number): Html {
  const y = yOf(share * most, most);
  return html`<line x1="${LEFT}" x2="${WIDTH}" y1="${y}" y2="${y}"/><text x="${LEFT - 6}" y="${y + 4}">${Math.round(share * most)} ms</text>`;
}

/** Its title is shown to whoever points at it; the list below the drawing has it for everybody. */
function deployLine(deploy: ServiceDeploy, period: Period): Html {
  const x = xOf(deploy.at.getTime(), period).toFixed(1);
  return html`<line class="deploy" x1="${x}" x2="${x}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"><title>${deployTitle(deploy)}</title></line>`;
}

/** In words; the time to the minute, in UTC. */
export function deployTitle({ commit, at }: ServiceDeploy): string {
  return `Deploy of ${commit.slice(0, 7)} at ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** What is drawn, in milliseconds since 1970. */
interface Period {
  readonly from: number;
  readonly to: number;
}

interface Frame extends Period {
  readonly most: number;
  readonly gapMs: number;
}

function path(points: readonly Point[], { most, gapMs, ...period }: Frame): string {
  let text = '';
  let before = Number.NEGATIVE_INFINITY;
  for (const { at, milliseconds } of points) {
    text += `${at - before > gapMs ? 'M' : 'L'}${xOf(at, period).toFixed(1)} ${yOf(milliseconds, most)}`;
    before = at;
  }
  // A point alone is a dot.
  return text.replace(/M([\d.]+ [\d.]+)(?=M|$)/g, 'M$1h.1');
}

function xOf(at: number, { from, to }: Period): number {
  return LEFT + ((at - from) / Math.max(1, to - from)) * (WIDTH - LEFT);
}

function yOf(milliseconds: number, most: number): number {
  const share = Math.min(1, milliseconds / most);
  return Math.round((HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)) * 10) / 10;
}

/** The next of 1, 2, 5 × 10ⁿ. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? 10 * power;
}
