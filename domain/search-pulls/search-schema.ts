import { z } from 'zod';
import { domainSchema } from '../properties/schema.ts';
import { SEARCH_TYPES } from './dimensions.ts';
import { isDay } from './pacific-day.ts';
import { type PropertyPull, PULL_STATUSES, PULL_TRIGGERS, type PullRun } from './pull-run.ts';
import { clickThroughRate, type SearchNumbers } from './search-numbers.ts';
import type { SearchRow } from './search-rows.ts';
import { MOST_TOP_ROWS, type RangeNumbers, type TopRows } from './search-window.ts';
import { WINDOW_DAYS } from './windows.ts';

const day = z.string().refine(isDay, 'give a day, such as 2026-03-29');
const time = z.iso.datetime();
const count = z.int().min(0);

const DEFAULT_DAYS = 28;

export const searchQuerySchema = z
  .strictObject({
    days: z.coerce
      .number()
      .pipe(z.literal(WINDOW_DAYS))
      .optional()
      .describe(`The last days that are final; ${DEFAULT_DAYS} where no range is given`),
    from: day.optional().describe('The first day of a range, in Pacific time; with `to`, instead of `days`'),
    to: day.optional().describe('The last day of the range'),
    type: z.enum(SEARCH_TYPES).default('web'),
    limit: z.coerce.number().int().min(1).max(MOST_TOP_ROWS).default(10).describe('Rows of each table'),
  })
  .refine(({ from, to }) => (from === undefined) === (to === undefined), 'from and to: give both, or neither')
  .refine(({ days, from }) => days === undefined || from === undefined, 'days: give it alone, or from and to');

export type SearchQuery = z.output<typeof searchQuerySchema>;

/** What a query asks for: a window that is rolled up, or a range. */
export function askedPeriod({ days, from, to }: SearchQuery) {
  return from === undefined || to === undefined ? { days: days ?? DEFAULT_DAYS } : { range: { from, to } };
}

const numbersShape = {
  clicks: count,
  impressions: count,
  ctr: z.number().describe('Clicks of an impression, 0 to 1'),
  position: z.number().describe('Mean position, from 1; 0 without impressions'),
};
const numbersSchema = z.object(numbersShape);
const rowsSchema = z.array(z.object({ key: z.string(), ...numbersShape }));
const TABLES = ['queries', 'pages', 'countries', 'devices', 'searchAppearances'] as const;

export const searchReplySchema = z.object({
  domain: z.string(),
  type: z.enum(SEARCH_TYPES),
  days: z.literal(WINDOW_DAYS).nullable().describe('Null for a range'),
  from: day,
  to: day,
  totals: numbersSchema.describe(
    'Of the days; rows of tables add up to less, as the search engine leaves rare ones out',
  ),
  prior: z.object({ from: day, to: day, storedDays: count, totals: numbersSchema }).describe('As many days before'),
  daily: z.array(z.object({ day, isFinal: z.boolean(), ...numbersShape })).describe('Days that are stored'),
  ...{
    queries: rowsSchema,
    pages: rowsSchema,
    countries: rowsSchema,
    devices: rowsSchema,
    searchAppearances: rowsSchema,
  },
  truncatedDays: z
    .object(Object.fromEntries(TABLES.map((table) => [table, count])) as Record<(typeof TABLES)[number], typeof count>)
    .describe('Days of which the search engine shows its first 50,000 rows only: the table may lack rows and clicks'),
  finalThrough: day.nullable().describe('The newest day that will not change any more'),
});

export function searchReply(
  domain: string,
  days: (typeof WINDOW_DAYS)[number] | null,
  found: RangeNumbers,
  limit: number,
) {
  const { range, totals, prior, series, top, type, finalThrough } = found;
  const table = ({ rows }: TopRows) => rows.slice(0, limit).map(rowView);
  return {
    ...{ domain, type, days, ...range, totals: withRate(totals), finalThrough },
    prior: { ...prior.range, storedDays: prior.days, totals: withRate(prior.totals) },
    daily: series.map(({ day: of, isFinal, ...numbers }) => ({ day: of, isFinal, ...withRate(numbers) })),
    queries: table(top.query),
    pages: table(top.page),
    countries: table(top.country),
    devices: table(top.device),
    searchAppearances: table(top.searchAppearance),
    truncatedDays: {
      queries: top.query.truncatedDays,
      pages: top.page.truncatedDays,
      countries: top.country.truncatedDays,
      devices: top.device.truncatedDays,
      searchAppearances: top.searchAppearance.truncatedDays,
    },
  };
}

function rowView({ key, ...numbers }: SearchRow) {
  return { key, ...withRate(numbers) };
}

function withRate(numbers: SearchNumbers) {
  const { clicks, impressions, position } = numbers;
  return { clicks, impressions, ctr: clickThroughRate(numbers), position };
}

export const pullBodySchema = z.strictObject({
  domain: domainSchema.optional().describe('One Property, pulled while you wait; absent: all, in the background'),
});

export const startedPullSchema = z.object({ jobId: z.string(), status: z.literal('running'), poll: z.string() });

const pulledShape = {
  days: count.describe('Days whose rows were read'),
  rows: count,
  truncatedDays: count.describe('Days of which the search engine shows its first 50,000 rows only'),
};

export const propertyPullSchema = z.object({ domain: z.string(), ...pulledShape });

export function propertyPullView(domain: string, pull: PropertyPull) {
  return { domain, ...pull };
}

const problemShape = { code: z.string(), message: z.string() };

export const pullRunSchema = z.object({
  id: z.string(),
  kind: z.literal('search-pull'),
  status: z.enum(PULL_STATUSES),
  trigger: z.enum(PULL_TRIGGERS),
  requestedBy: z.string(),
  startedAt: time,
  finishedAt: time.nullable(),
  summary: z
    .object({
      ...{ properties: count, pulled: count, failed: count, ...pulledShape },
      failures: z.array(z.object({ domain: z.string(), ...problemShape })),
    })
    .nullable(),
  error: z.object(problemShape).nullable(),
  abandoned: z.boolean().describe('It was broken off, and another pull pulls the remainder'),
});

export function pullRunView({ since, startedAt, finishedAt, ...run }: PullRun) {
  const at = { startedAt: startedAt.toISOString(), finishedAt: finishedAt?.toISOString() ?? null };
  return { kind: 'search-pull' as const, ...run, ...at };
}
