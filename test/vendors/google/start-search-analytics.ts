import { startVendor, type VendorAnswer, type VendorServer } from '../../support/git-vendors/vendor-server.ts';
import { googleError } from './google-error.ts';
import { answerSearchAnalytics, type SearchAnalyticsState } from './search-analytics.ts';

export interface CallQuotas {
  /** Calls of a minute, for each site and for all of the account. */
  readonly sitePerMinute: number;
  readonly accountPerMinute: number;
}

export interface TestSearchAnalytics extends VendorServer, SearchAnalyticsState {
  /** Calls that were answered with rows or without, and those that a quota refused. */
  readonly counts: { answered: number; refused: number };
}

/**
 * Search Analytics on the loopback, for one account. Its quotas are counted in any minute, as by the vendor's limits;
 * what else goes wrong is put into `fault`.
 */
export async function startSearchAnalytics(options: {
  readonly token: string;
  readonly today: string;
  readonly quotas?: CallQuotas;
  readonly now?: () => number;
}): Promise<TestSearchAnalytics> {
  const state: SearchAnalyticsState = { sites: new Map(), today: options.today, pageRows: null };
  const counts = { answered: 0, refused: 0 };
  const overQuota = createQuotaCheck(options.quotas, options.now ?? Date.now);
  const server = await startVendor('/webmasters/v3', (request): VendorAnswer => {
    if (request.headers.authorization !== `Bearer ${options.token}`) {
      const message = 'Request had invalid authentication credentials. Expected OAuth 2 access token.';
      return googleError(401, 'authError', message);
    }
    const [, encoded] = /^\/sites\/([^/]+)\/searchAnalytics\/query$/.exec(request.path) ?? [];
    if (encoded === undefined || request.method !== 'POST') return googleError(404, 'notFound', 'Not Found');
    const siteUrl = decodeURIComponent(encoded);
    if (overQuota(siteUrl)) {
      counts.refused += 1;
      return googleError(
        429,
        'rateLimitExceeded',
        'Quota exceeded for quota metric of service searchconsole.googleapis.com',
      );
    }
    counts.answered += 1;
    return answerSearchAnalytics(vendor, siteUrl, request);
  });
  const vendor: TestSearchAnalytics = Object.assign(server, state, { counts });
  return vendor;
}

/** Whether one more call in the last minute is too many, for the site or for all. */
function createQuotaCheck(quotas: CallQuotas | undefined, now: () => number): (siteUrl: string) => boolean {
  const calls = new Map<string, number[]>();
  const lastMinute = (key: string): number[] => {
    const recent = (calls.get(key) ?? []).filter((at) => at > now() - 60_000);
    calls.set(key, recent);
    return recent;
  };
  return (siteUrl) => {
    if (quotas === undefined) return false;
    const [site, all] = [lastMinute(siteUrl), lastMinute('')];
    if (site.length >= quotas.sitePerMinute || all.length >= quotas.accountPerMinute) return true;
    site.push(now());
    all.push(now());
    return false;
  };
}
