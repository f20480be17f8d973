import { FairleadError } from '../../../domain/errors.ts';
import type { NumbersRequest, SearchAnalytics } from '../../../domain/search-pulls/vendor-ports.ts';
import { answerSearchAnalytics, type SearchAnalyticsState } from '../../vendors/google/search-analytics.ts';
import type { VendorRow } from '../../vendors/google/search-traffic.ts';

export interface InMemorySearchAnalytics extends SearchAnalytics, SearchAnalyticsState {
  /** As in `sc-domain:a.com 2026-03-05 query 0`. */
  readonly asked: string[];
  /** Runs before each request, and fails it by throwing. */
  fault: ((request: NumbersRequest) => Promise<void> | void) | null;
}

interface Answered {
  readonly rows?: readonly VendorRow[];
  readonly metadata?: { readonly firstIncompleteDate: string };
}

/** The search engine in this process: the same answers as the vendor's server gives. */
export function createInMemorySearchAnalytics(today: string): InMemorySearchAnalytics {
  const analytics: InMemorySearchAnalytics = {
    sites: new Map(),
    today,
    pageRows: null,
    asked: [],
    fault: null,
    async query(request, signal) {
      const { siteUrl, range, type, dimension, startRow } = request;
      signal.throwIfAborted();
      analytics.asked.push(`${siteUrl} ${range.to} ${dimension} ${startRow}`);
      await analytics.fault?.(request);
      const body = {
        ...{ startDate: range.from, endDate: range.to, dimensions: [dimension], type },
        ...{ dataState: 'all', rowLimit: 25_000, startRow },
      };
      const nothing = { method: 'POST', path: '', query: new URLSearchParams(), headers: {} };
      const { status, body: answered } = answerSearchAnalytics(analytics, siteUrl, { ...nothing, body });
      if (status === 403) throw new FairleadError('GOOGLE_PERMISSION', `The service account may not see ${siteUrl}`);
      if (status !== 200) throw new Error(JSON.stringify(answered));
      const { rows = [], metadata } = answered as Answered;
      return {
        rows: rows.map(({ keys: [key = ''], clicks, impressions, position }) => ({
          key,
          clicks,
          impressions,
          position,
        })),
        firstIncomplete: metadata?.firstIncompleteDate ?? null,
      };
    },
  };
  return analytics;
}
