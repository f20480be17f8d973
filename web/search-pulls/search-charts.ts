import type { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { daysOf } from '../../domain/search-pulls/pacific-day.ts';
import type { searchReplySchema } from '../../domain/search-pulls/search-schema.ts';
import { whole } from '../look/chart.ts';
import { card, table } from '../look/components.ts';
import { type LineChart, lineChart, type Point } from '../look/line-chart.ts';
import { counted, inFewLetters, percent, position } from './number-words.ts';

export type SearchReply = z.output<typeof searchReplySchema>;

type Day = SearchReply['daily'][number];

type Measure = Omit<LineChart, 'points'> & { readonly of: (day: Day) => number | null };

/** Without an impression there is no rate and no position. */
const seen =
  (value: (day: Day) => number) =>
  (day: Day): number | null =>
    day.impressions === 0 ? null : value(day);

const MEASURES: readonly Measure[] = [
  {
    ...{ title: 'Clicks', of: ({ clicks }) => clicks, mark: inFewLetters, whole: true },
    write: (value) => counted(value, 'click', 'clicks'),
  },
  {
    ...{ title: 'Impressions', of: ({ impressions }) => impressions, mark: inFewLetters, whole: true },
    write: (value) => counted(value, 'impression', 'impressions'),
  },
  {
    title: 'Click rate',
    of: seen(({ ctr }) => ctr),
    write: percent,
    mark: (value) => `${inFewLetters(value * 100)}%`,
  },
  {
    ...{ title: 'Mean position', of: seen(({ position: place }) => place), mark: inFewLetters, bestIsLow: true },
    write: (value) => (Number.isInteger(value) ? `place ${value}` : `place ${value.toFixed(1)}`),
  },
];

/** The days of a period in four charts, and in a table for whoever cannot see them. */
export function searchCharts(numbers: SearchReply): Html {
  const byDay = new Map(numbers.daily.map((day) => [day.day, day]));
  const days = daysOf(numbers).map((day) => ({ day, found: byDay.get(day) ?? null }));
  return html`<div class="columns even">${MEASURES.map(({ of, title, ...look }) => {
    const points = days.map(({ day, found }): Point => ({ label: day, value: found === null ? null : of(found) }));
    return card(
      { title, id: `chart-${title.toLowerCase().replace(' ', '-')}` },
      lineChart({ ...look, title: `${title} by day`, points }),
    );
  })}</div>
${card({ flush: true }, html`<details class="more"><summary>The days as a table</summary>${dayTable(numbers.daily)}</details>`)}`;
}

const COLUMNS = [
  { label: 'Day', kind: 'main' },
  { label: 'Clicks', kind: 'number' },
  { label: 'Impressions', kind: 'number' },
  { label: 'Rate', kind: 'number' },
  { label: 'Position', kind: 'number' },
] as const;

function dayTable(daily: readonly Day[]): Html {
  const rows = daily
    .toReversed()
    .map(({ day, isFinal, clicks, impressions, ctr, position: place }) => [
      html`${day}${!isFinal && html`<span class="sub">still counted</span>`}`,
      whole(clicks),
      whole(impressions),
      percent(ctr),
      position(place),
    ]);
  return table('Search numbers by day, the newest first', COLUMNS, rows);
}
