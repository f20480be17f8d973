import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { PAGE_ROWS } from '../../domain/search-pulls/dimensions.ts';
import { isDay } from '../../domain/search-pulls/pacific-day.ts';
import { projectScopeKey, propertyScopeKey, type QuotaLimits, scopesOf } from '../../domain/search-pulls/quota.ts';
import type { NumbersPage, NumbersRequest, SearchAnalytics } from '../../domain/search-pulls/vendor-ports.ts';
import type { CallBudget } from '../call-budget.ts';
import type { GoogleClient } from './google-client.ts';

export interface SearchAnalyticsDeps {
  readonly google: Pick<GoogleClient, 'withAuth'>;
  readonly budget: CallBudget;
  /** Whose quotas the calls count in: one account, as which all processes call. */
  readonly account: string;
  readonly limits: QuotaLimits;
  /** Waits between attempts; replaced where time is not waited for. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

const TIMEOUT_MS = 60_000;
const ATTEMPTS = 5;
const FIRST_WAIT_MS = 500;
/** Of the load of a property; the other quotas are those of the account and its project. */
const LOAD_REASON = 'quotaExceeded';

/** Far beyond what anybody is searched for, and still exact where sixteen months of it are added up. */
const count = z.int().min(0).max(1e12).default(0);

const rowSchema = z
  .object({
    keys: z.tuple([z.string()]),
    clicks: count,
    impressions: count,
    position: z.number().min(0).default(0),
  })
  .transform(({ keys: [key], clicks, impressions, position }) => ({ key, clicks, impressions, position }));

const day = z.string().refine(isDay).nullish();

const pageSchema = z.object({
  rows: z.array(rowSchema).default([]),
  // The guide names it in one way, the description of the API in the other.
  metadata: z
    .object({ firstIncompleteDate: day, first_incomplete_date: day })
    .nullish()
    .transform((metadata) => metadata?.firstIncompleteDate ?? metadata?.first_incomplete_date ?? null),
});

const refusalSchema = z.object({ reason: z.string().optional(), retryAfterSeconds: z.number().optional() });

/**
 * Search Analytics of the Search Console API by Google's own client (`searchanalytics.query`), paced by its quotas. What may
 * pass at once is tried again here; a quota that is used up pauses all processes, and is told to whoever asked.
 */
export function createSearchAnalytics(deps: SearchAnalyticsDeps): SearchAnalytics {
  const { google, budget, account, limits, sleep = delay } = deps;

  async function ask(request: NumbersRequest, signal: AbortSignal): Promise<NumbersPage> {
    const timed = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const data = await google.withAuth({ scopes: [] }, async (auth) => {
      const { searchconsole } = await import('@googleapis/searchconsole');
      const { searchanalytics } = searchconsole({ version: 'v1', auth });
      const asked = { siteUrl: request.siteUrl, requestBody: toBody(request) };
      return (await searchanalytics.query(asked, { signal: timed, retry: false })).data;
    });
    return readPage(data, request);
  }

  /** Returns when the call is to be made again. @throws what whoever asked has to know */
  async function onFailure(request: NumbersRequest, error: unknown, attempt: number): Promise<void> {
    if (!(error instanceof FairleadError) || !error.retryable) throw error;
    const { reason, retryAfterSeconds } = refusalSchema.safeParse(error.details).data ?? {};
    if (retryAfterSeconds !== undefined) {
      const key = reason === LOAD_REASON ? propertyScopeKey(request.siteUrl) : projectScopeKey(account);
      await budget.pause(key, retryAfterSeconds);
      throw error;
    }
    if (attempt === ATTEMPTS) throw error;
    await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random()));
  }

  return {
    async query(request, signal) {
      const scopes = scopesOf({ property: request.siteUrl, account }, limits);
      for (let attempt = 1; ; attempt += 1) {
        await budget.acquire(scopes, { signal });
        try {
          return await ask(request, signal);
        } catch (error) {
          signal.throwIfAborted();
          await onFailure(request, error, attempt);
        }
      }
    },
  };
}

function toBody({ range, type, dimension, startRow }: NumbersRequest) {
  return {
    startDate: range.from,
    endDate: range.to,
    dimensions: [dimension],
    type,
    // Days that are not final as well: those are pulled again until they are.
    dataState: 'all',
    rowLimit: PAGE_ROWS,
    startRow,
  };
}

/**
 * @throws UNAVAILABLE (retryable) for an answer of another format, with numbers that cannot be, or that takes a day after
 *   those that were asked for as the first one that is not final: all of them would be final at once
 */
function readPage(data: unknown, { range }: NumbersRequest): NumbersPage {
  const page = pageSchema.safeParse(data);
  if (page.success && (page.data.metadata ?? range.to) <= range.to) {
    return { rows: page.data.rows, firstIncomplete: page.data.metadata };
  }
  const message = 'Google answered in a form that is not documented';
  throw new FairleadError('UNAVAILABLE', message, { system: 'google', retryable: true, cause: page.error });
}
