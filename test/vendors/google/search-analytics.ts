import { z } from 'zod';
import { DIMENSIONS } from '../../../domain/search-pulls/dimensions.ts';
import { addDays, daysOf } from '../../../domain/search-pulls/pacific-day.ts';
import type { VendorAnswer, VendorRequest } from '../../support/git-vendors/vendor-server.ts';
import { googleError } from './google-error.ts';
import { rowsOfDay, type SiteTraffic, type VendorRow } from './search-traffic.ts';

/** What Search Analytics knows, and how it behaves. */
export interface SearchAnalyticsState {
  /** By `siteUrl`. Sites of another account are not there. */
  readonly sites: Map<string, SiteTraffic>;
  /** The day in Pacific time. */
  today: string;
  /** The most rows of a page, below what is asked for; null for no such limit. */
  pageRows: number | null;
}

const MOST_ROWS_A_DAY = 50_000;
/** How much is counted of a day, by its age; older ones are final. Nothing is known of the day that goes on. */
const SHARES = [0, 0.3, 0.7];

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const bodySchema = z.object({
  startDate: day,
  endDate: day,
  dimensions: z.array(z.enum(DIMENSIONS)).default([]),
  type: z.enum(['web', 'image', 'video', 'news', 'discover', 'googleNews']).default('web'),
  dataState: z.enum(['final', 'all']).default('final'),
  rowLimit: z.int().min(1).max(25_000).default(1_000),
  startRow: z.int().min(0).default(0),
});

type Query = z.output<typeof bodySchema>;

/** `POST /webmasters/v3/sites/{siteUrl}/searchAnalytics/query` (Search Console API, "Search Analytics: query"). */
export function answerSearchAnalytics(
  state: SearchAnalyticsState,
  siteUrl: string,
  request: VendorRequest,
): VendorAnswer {
  const traffic = state.sites.get(siteUrl);
  if (traffic === undefined) return forbidden(siteUrl);
  const body = bodySchema.safeParse(request.body);
  if (!body.success) {
    const [issue] = body.error.issues;
    return googleError(400, 'invalidParameter', `Invalid value at '${issue?.path.join('.')}': ${issue?.message}`);
  }
  const query = body.data;
  if (query.startDate > query.endDate) {
    return googleError(400, 'invalidParameter', 'startDate must be less than or equal to endDate.');
  }
  if (query.dimensions.length > 1) {
    return googleError(400, 'invalidParameter', 'This server groups by one dimension alone.');
  }
  const limit = Math.min(query.rowLimit, state.pageRows ?? query.rowLimit);
  const rows = allRows(state, traffic, query).slice(query.startRow, query.startRow + limit);
  return {
    status: 200,
    body: {
      ...(rows.length === 0 ? {} : { rows }),
      responseAggregationType: query.dimensions[0] === 'page' ? 'byPage' : 'byProperty',
      ...metadata(state, query),
    },
  };
}

function allRows({ today }: SearchAnalyticsState, traffic: SiteTraffic, query: Query): readonly VendorRow[] {
  const [dimension = 'device'] = query.dimensions;
  const byDay = daysOf({ from: query.startDate, to: query.endDate }).flatMap((each): (readonly VendorRow[])[] => {
    const share = shareOf(each, today);
    if (share < 1 && query.dataState === 'final') return [];
    return [rowsOfDay(traffic, each, { type: query.type, dimension, share }).slice(0, MOST_ROWS_A_DAY)];
  });
  // By date, the oldest day comes first; all else is sorted by clicks.
  if (dimension === 'date' || byDay.length === 1) return byDay.flat();
  throw new Error('this server groups ranges by date alone');
}

function shareOf(each: string, today: string): number {
  if (each > today) return 0;
  const age = SHARES.findIndex((_, index) => addDays(today, -index) === each);
  return SHARES[age] ?? 1;
}

function metadata({ today }: SearchAnalyticsState, { dataState, dimensions, endDate, startDate }: Query): object {
  const first = addDays(today, 1 - SHARES.length);
  const isTold = dataState === 'all' && dimensions[0] === 'date' && endDate >= first;
  if (!isTold) return {};
  return { metadata: { firstIncompleteDate: first < startDate ? startDate : first } };
}

function forbidden(siteUrl: string): VendorAnswer {
  const message = `User does not have sufficient permission for site '${siteUrl}'. See also: https://support.google.com/webmasters/answer/2451999.`;
  return googleError(403, 'forbidden', message);
}
