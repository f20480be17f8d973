import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type CallBudget, createCallBudget } from '../../../adapters/call-budget.ts';
import { createSearchAnalytics } from '../../../adapters/google/search-analytics.ts';
import { projectScopeKey, propertyScopeKey, VENDOR_QUOTAS } from '../../../domain/search-pulls/quota.ts';
import type { SearchAnalytics } from '../../../domain/search-pulls/vendor-ports.ts';
import { searchAnalyticsSuite } from '../../ports/search-pulls/search-analytics.ts';
import { createGoogleAccount, type TestGoogleAccount } from '../../support/google-account.ts';
import { createInMemoryQuotaCounters } from '../../support/in-memory/quota-counters.ts';
import { createInMemorySearchAnalytics } from '../../support/in-memory/search-analytics.ts';
import { googleError } from '../../vendors/google/google-error.ts';
import { startSearchAnalytics, type TestSearchAnalytics } from '../../vendors/google/start-search-analytics.ts';

const SITE = 'sc-domain:shop.com';
const ACCOUNT = 'account';
const TOKEN = 'ya29.test';

describe('Search Analytics over HTTP', () => {
  let server: TestSearchAnalytics;
  let account: TestGoogleAccount;
  let analytics: SearchAnalytics;
  let budget: CallBudget & { readonly acquired: number };
  const paused: string[] = [];
  const waits: number[] = [];
  before(async () => {
    server = await startSearchAnalytics({ token: TOKEN, today: '2026-06-17' });
    account = await createGoogleAccount(server.url, TOKEN);
    const counting = {
      acquired: 0,
      acquire: async () => {
        counting.acquired += 1;
      },
      pause: async (key: string, seconds: number) => {
        paused.push(`${key} ${seconds}`);
      },
    };
    budget = counting;
    const sleep = async (ms: number) => waits.push(ms);
    analytics = createSearchAnalytics({
      google: account.google,
      budget,
      account: ACCOUNT,
      limits: VENDOR_QUOTAS,
      sleep,
    });
  });
  after(async () => {
    await server?.stop();
    await account?.remove();
  });
  beforeEach(() => {
    server.fault = null;
    server.sites.clear();
    server.sites.set(SITE, { seed: 7, rows: {}, since: '2026-06-01' });
    paused.length = 0;
    waits.length = 0;
  });
  const ask = (siteUrl = SITE) => {
    const range = { from: '2026-06-10', to: '2026-06-10' };
    return analytics.query(
      { siteUrl, range, type: 'web', dimension: 'query', startRow: 0 },
      AbortSignal.timeout(60_000),
    );
  };
  /** Answers the first calls by these, and then as usual. */
  const failFirst = (...answers: readonly ReturnType<typeof googleError>[]): void => {
    const left = [...answers];
    server.fault = () => left.shift() ?? null;
  };

  searchAnalyticsSuite(() => ({ analytics, state: server }));

  it('counts every call against the quotas, also those that are made again', async () => {
    const before = budget.acquired;
    failFirst(googleError(503, 'backendError', 'Backend Error'));
    await ask();
    assert.equal(budget.acquired - before, 2);
  });

  it('makes a call again that failed for a moment, a little later each time', async () => {
    failFirst(...Array.from({ length: 4 }, () => googleError(500, 'internalError', 'Internal Error')));
    assert.ok((await ask()).rows.length > 0);
    assert.equal(waits.length, 4);
    assert.ok((waits[3] ?? 0) > (waits[0] ?? 0) * 2, waits.join());
  });

  it('gives up after five times, and says that it may be tried later', async () => {
    server.fault = () => googleError(503, 'backendError', 'Backend Error');
    await assert.rejects(ask(), { code: 'UNAVAILABLE', retryable: true });
    assert.equal(waits.length, 4);
  });

  it('makes a call again whose connection was cut, before an answer and within one', async () => {
    let cuts = 2;
    server.fault = (_request, response) => {
      if (cuts === 0) return null;
      cuts -= 1;
      if (cuts === 0) response.write('{"rows": [');
      response.socket?.destroy();
      return 'answered';
    };
    assert.ok((await ask()).rows.length > 0);
  });

  it('pauses the calls of all processes where a quota is used up: of the property for its load, of all for their number', async () => {
    // Google's library asks once more with a new token after a 403.
    const load = googleError(403, 'quotaExceeded', 'Search Analytics load quota exceeded.');
    failFirst(load, load);
    await assert.rejects(ask(), { code: 'UNAVAILABLE', retryable: true });
    failFirst(googleError(429, 'rateLimitExceeded', 'Quota exceeded'));
    await assert.rejects(ask(), { code: 'UNAVAILABLE', retryable: true });
    const daily = googleError(403, 'dailyLimitExceeded', 'Daily Limit Exceeded');
    failFirst(daily, daily);
    await assert.rejects(ask(), { code: 'UNAVAILABLE', retryable: true });
    assert.deepEqual(paused, [
      `${propertyScopeKey(SITE)} 900`,
      `${projectScopeKey(ACCOUNT)} 60`,
      `${projectScopeKey(ACCOUNT)} 3600`,
    ]);
    assert.deepEqual(waits, []);
  });

  it('goes on after an hour, for however long it is told to wait', async () => {
    const clock = { now: Date.parse('2026-06-17T18:00:00Z') };
    const now = () => new Date(clock.now);
    const budget = createCallBudget({ counters: createInMemoryQuotaCounters(), now });
    const { google } = account;
    const paced = createSearchAnalytics({ google, budget, account: ACCOUNT, limits: VENDOR_QUOTAS });
    const range = { from: '2026-06-10', to: '2026-06-10' };
    const asked = { siteUrl: SITE, range, type: 'web', dimension: 'query', startRow: 0 } as const;
    for (const status of [429, 503]) {
      const refusal = googleError(status, 'rateLimitExceeded', 'Quota exceeded');
      failFirst({ ...refusal, headers: { 'retry-after': '9999999999' } });
      await assert.rejects(paced.query(asked, AbortSignal.timeout(60_000)), {
        details: { status, reason: 'rateLimitExceeded', retryAfterSeconds: 3_600 },
      });
      await assert.rejects(paced.query(asked, AbortSignal.timeout(60_000)), { code: 'RATE_LIMITED' });
      clock.now += 3_601_000;
      assert.ok((await paced.query(asked, AbortSignal.timeout(60_000))).rows.length > 0);
    }
  });

  it('refuses at once what no wait helps with: no access, a request that is wrong', async () => {
    await assert.rejects(ask('sc-domain:other.com'), { code: 'GOOGLE_PERMISSION' });
    failFirst(googleError(400, 'invalidParameter', 'Invalid value'));
    await assert.rejects(ask(), { code: 'GOOGLE_REFUSED' });
    assert.deepEqual(waits, []);
  });

  it('takes no answer of another form for one without rows', async () => {
    for (const body of [{ rows: [{ keys: ['a', 'b'], clicks: 1 }] }, { rows: 'none' }, { rows: [{ clicks: 1 }] }]) {
      server.fault = () => ({ status: 200, body });
      await assert.rejects(ask(), { code: 'UNAVAILABLE', message: /not documented/ });
    }
  });

  it('takes no numbers that cannot be: not whole, below nothing, or beyond all counting', async () => {
    const row = { keys: ['a'], clicks: 1, impressions: 20, position: 2.5 };
    for (const wrong of [
      { clicks: 0.5 },
      { clicks: -1 },
      { impressions: 1.5 },
      { impressions: -20 },
      { impressions: 1e15 },
      { position: -1 },
    ]) {
      server.fault = () => ({ status: 200, body: { rows: [row, { ...row, ...wrong }] } });
      await assert.rejects(ask(), { code: 'UNAVAILABLE', message: /not documented/ }, JSON.stringify(wrong));
    }
  });

  it('takes no word on which days are final that is no day, or a day after those that were asked for', async () => {
    const answer = async (firstIncompleteDate: string) => {
      server.fault = () => ({ status: 200, body: { metadata: { firstIncompleteDate } } });
      return (await ask()).firstIncomplete;
    };
    for (const wrong of ['zzz', '', '2026-02-30', '2026-06-11', '9999-12-31']) {
      await assert.rejects(answer(wrong), { code: 'UNAVAILABLE', message: /not documented/ }, wrong);
    }
    assert.equal(await answer('2026-06-10'), '2026-06-10');
    assert.equal(await answer('2026-06-01'), '2026-06-01');
  });

  it('asks for the numbers that are not final as well, 25,000 rows at a time, by the documented address', async () => {
    let body: object = {};
    server.fault = (request) => {
      body = request.body;
      return null;
    };
    await ask();
    assert.deepEqual(body, {
      ...{ startDate: '2026-06-10', endDate: '2026-06-10', dimensions: ['query'], type: 'web' },
      ...{ dataState: 'all', rowLimit: 25_000, startRow: 0 },
    });
    assert.equal(server.asked.at(-1), 'POST /sites/sc-domain%3Ashop.com/searchAnalytics/query');
  });
});

describe('many processes under the quotas of the search engine', () => {
  it('are never refused, and use the most of what they have', async () => {
    // A clock that goes on when somebody waits.
    const clock = { now: Date.parse('2026-06-17T18:00:00Z') };
    const quotas = { sitePerMinute: 65, accountPerMinute: 130 };
    const server = await startSearchAnalytics({ token: TOKEN, today: '2026-06-17', quotas, now: () => clock.now });
    const account = await createGoogleAccount(server.url, TOKEN);
    const counters = createInMemoryQuotaCounters();
    const limits = { ...VENDOR_QUOTAS, propertyPerMinute: 65, accountPerMinute: 130 };
    const sleep = async (ms: number): Promise<void> => {
      clock.now += Math.min(ms, 500);
    };
    const processes = Array.from({ length: 3 }, () => {
      const budget = createCallBudget({ counters, now: () => new Date(clock.now), sleep });
      return createSearchAnalytics({ google: account.google, budget, account: ACCOUNT, limits });
    });
    try {
      const sites = ['sc-domain:a.com', 'sc-domain:b.com', 'sc-domain:c.com'];
      for (const site of sites) server.sites.set(site, { seed: 1, rows: {}, since: '2026-06-01' });
      const began = clock.now;
      let asked = 0;
      const work = async (analytics: SearchAnalytics, siteUrl: string): Promise<void> => {
        while (clock.now < began + 120_000) {
          const range = { from: '2026-06-10', to: '2026-06-10' };
          await analytics.query(
            { siteUrl, range, type: 'web', dimension: 'device', startRow: 0 },
            AbortSignal.timeout(60_000),
          );
          asked += 1;
        }
      };
      await Promise.all(processes.flatMap((analytics) => sites.map((site) => work(analytics, site))));
      assert.equal(server.counts.refused, 0);
      assert.ok(asked > 0.75 * 2 * 130, `${asked} calls in two minutes`);
    } finally {
      await server.stop();
      await account.remove();
    }
  });
});

describe('the search engine in memory', () => {
  searchAnalyticsSuite(() => {
    const analytics = createInMemorySearchAnalytics('2026-06-17');
    return { analytics, state: analytics };
  });
});
