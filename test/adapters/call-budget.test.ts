import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCallBudget } from '../../adapters/call-budget.ts';
import { createCloudflareZones } from '../../adapters/cloudflare/dns-zones.ts';
import type { GoogleClient } from '../../adapters/google/google-client.ts';
import { createGoogleSearchEngine } from '../../adapters/google/search-engine.ts';
import { FairleadError } from '../../domain/errors.ts';
import { limitOf, type QuotaScope, scopeOf } from '../../domain/properties/quota.ts';
import { scopesOf, VENDOR_QUOTAS } from '../../domain/search-pulls/quota.ts';
import { createInMemoryQuotaCounters } from '../support/in-memory/quota-counters.ts';

/** One whose window is a slot, of which it touches two. */
const scope = (
  key: string,
  { slotMs = 5_000, limit = 4, vendor = 'Google' }: Partial<QuotaScope> & { limit?: number } = {},
): QuotaScope => ({ key, rule: key, vendor, calls: 2 * limit, windowMs: slotMs, slotMs });

function create() {
  const clock = { now: Date.parse('2026-06-17T18:00:00Z') };
  const counters = createInMemoryQuotaCounters();
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    clock.now += ms;
  };
  const budget = () => createCallBudget({ counters, now: () => new Date(clock.now), sleep });
  return { clock, counters, slept, budget };
}

describe('the budget of calls', () => {
  it('lets as many through at once as a slot has, and the next one with the next slot', async () => {
    const { clock, slept, budget } = create();
    clock.now += 1_000;
    const own = budget();
    for (let call = 0; call < 4; call += 1) await own.acquire([scope('a')]);
    assert.deepEqual(slept, []);
    await own.acquire([scope('a')]);
    assert.deepEqual(slept, [4_000]);
  });

  it('waits for the scope that has the least left', async () => {
    const { slept, budget } = create();
    const own = budget();
    await own.acquire([scope('a'), scope('b', { limit: 1 })]);
    await own.acquire([scope('a'), scope('b', { limit: 1 })]);
    assert.deepEqual(slept, [5_000]);
  });

  it('is used up by all processes together', async () => {
    const { slept, budget } = create();
    for (let call = 0; call < 4; call += 1) await budget().acquire([scope('a')]);
    assert.deepEqual(slept, []);
    await budget().acquire([scope('a')]);
    assert.deepEqual(slept, [5_000]);
  });

  it('waits for a short pause of another process, and tells of a long one when it ends', async () => {
    const { clock, slept, budget } = create();
    await budget().pause('a', 60);
    await budget().acquire([scope('a'), scope('b')]);
    assert.deepEqual(slept, [60_000]);
    await budget().acquire([scope('b')]);
    await budget().pause('a', 900);
    clock.now += 100_000;
    const limited = { code: 'RATE_LIMITED', retryable: true, details: { retryAfterSeconds: 800 } };
    await assert.rejects(budget().acquire([scope('b'), scope('a')]), limited);
  });

  it('loses little of a day with each process that is killed', async () => {
    const { slept, budget } = create();
    const day = scope('day', { slotMs: 86_400_000, limit: 15_000 });
    for (let killed = 0; killed < 100; killed += 1) await budget().acquire([day]);
    assert.deepEqual(slept, []);
  });

  it('tells of a day whose calls are used up, and of an abort', async () => {
    const { budget } = create();
    const day = scope('day', { slotMs: 86_400_000, limit: 1 });
    await budget().acquire([day]);
    await assert.rejects(budget().acquire([day]), {
      code: 'RATE_LIMITED',
      details: { retryAfterSeconds: 21_600 },
    });
    await assert.rejects(
      budget().acquire([scope('a')], { signal: AbortSignal.abort(new Error('stopped')) }),
      /stopped/,
    );
  });

  it('waits no longer than whoever asks, names the vendor, and counts nothing without a scope', async () => {
    const { clock, slept, budget } = create();
    clock.now += 1_000;
    const one = scope('zones', { limit: 1, vendor: 'Cloudflare' });
    await budget().acquire([one]);
    await assert.rejects(budget().acquire([one], { waitMs: 3_000 }), {
      ...{ code: 'RATE_LIMITED', system: 'cloudflare', details: { retryAfterSeconds: 4 } },
      message: 'The calls that Cloudflare allows are used up for 4 s',
    });
    await budget().acquire([one], { waitMs: 5_000 });
    await budget().acquire([]);
    assert.deepEqual(slept, [4_000]);
  });

  it('of any window there are no more calls than the quota, and nearly as many', () => {
    for (const [calls, windowMs] of [
      [240, 60_000],
      [1_000, 300_000],
    ] as const) {
      const quota = scopeOf({ key: 'a', vendor: 'Google', calls, windowMs });
      const { slotMs } = quota;
      const limit = limitOf(quota, slotMs);
      assert.ok((windowMs / slotMs + 1) * limit <= calls);
      assert.ok((windowMs / slotMs) * limit > 0.85 * calls);
    }
    assert.equal(limitOf({ calls: 1, windowMs: 60_000 }, 5_000), 1);
  });
});

describe('the budgets of versions that run side by side', () => {
  const QUOTA = { key: 'a', vendor: 'Google', windowMs: 60_000 } as const;

  /** Calls of processes that call as often as they may for five minutes, each by its version's quota. */
  async function callsOf(versions: readonly QuotaScope[]): Promise<readonly number[]> {
    const clock = { now: Date.parse('2026-06-17T18:00:00Z') };
    const counters = createInMemoryQuotaCounters();
    const budgets = versions.map((quota) => ({
      quota,
      budget: createCallBudget({ counters, now: () => new Date(clock.now), sleep: () => assert.fail('waited') }),
    }));
    const calls: number[] = [];
    for (const end = clock.now + 300_000; clock.now < end; clock.now += 250) {
      for (const { quota, budget } of budgets) {
        await budget.acquire([quota], { waitMs: 0 }).then(
          () => calls.push(clock.now),
          (error: { code: string }) => assert.equal(error.code, 'RATE_LIMITED'),
        );
      }
    }
    return calls;
  }
  const mostInAWindow = (calls: readonly number[]): number =>
    Math.max(...calls.map((first) => calls.filter((at) => at >= first && at < first + QUOTA.windowMs).length));

  for (const [what, others] of [
    ['longer slots', { calls: 120, slots: 3 }],
    ['shorter slots that do not meet', { calls: 120, slots: 17 }],
    ['one slot a window', { calls: 120, slots: 1 }],
    ['more calls', { calls: 200 }],
  ] as const) {
    it(`are one budget where one version has ${what}, whichever of them was there first`, async () => {
      const versions = [scopeOf({ ...QUOTA, calls: 120 }), scopeOf({ ...QUOTA, ...others })];
      for (const running of [versions, versions.toReversed(), [...versions, ...versions]]) {
        const calls = await callsOf(running);
        assert.ok(mostInAWindow(calls) <= others.calls, `${mostInAWindow(calls)} calls in a minute`);
        assert.ok(calls.length > 5 * 40, `${calls.length} calls in five minutes`);
      }
    });
  }

  it('are found under keys that no version changes', async () => {
    const seen = new Map<string, readonly [rule: string, slotMs: number]>();
    const see = async (scopes: string | readonly QuotaScope[]): Promise<never> => {
      for (const { key, rule, slotMs } of typeof scopes === 'string' ? [] : scopes) seen.set(key, [rule, slotMs]);
      throw new FairleadError('UNAVAILABLE', 'seen');
    };
    const client = {
      withAuth: ({ scopes }) => see(scopes),
      request: (_answer, _request, { scopes }) => see(scopes),
    } satisfies GoogleClient as GoogleClient;
    const google = createGoogleSearchEngine(client, 'people');
    const zones = createCloudflareZones({ apiToken: 'token', installation: 'a', budget: { acquire: see, pause: see } });
    for (const call of [google.addProperty('a.com'), google.isVerified('a.com'), zones.findZone('a.com')]) {
      await assert.rejects(call, { message: 'seen' });
    }
    await see(scopesOf({ property: 'sc-domain:a.com', account: 'b' }, VENDOR_QUOTAS)).catch(() => undefined);
    assert.deepEqual(Object.fromEntries(seen), {
      'google/search-console-sites': ['google/search-console-sites', 5_000],
      'google/site-verification': ['google/site-verification', 5_000],
      'google/site-verification/questions': ['google/site-verification/questions', 5_000],
      cloudflare: ['cloudflare', 25_000],
      'property/sc-domain:a.com': ['property', 5_000],
      'account/b': ['account', 5_000],
      'project/b': ['project', 5_000],
      'project/b/day': ['project/day', 86_400_000],
    });
  });
});

describe('questions of people', () => {
  it('are refused soon once their own budget is used up, and leave the rest to runs', async () => {
    const { slept, budget } = create();
    const shared = budget();
    const client = {
      withAuth: () => Promise.reject(new Error('nothing is added here')),
      request: async (answer, _request, { scopes, ...patience }) => {
        await shared.acquire(scopes, patience);
        return answer.parse({ token: 'token' }) as never;
      },
    } satisfies GoogleClient as GoogleClient;
    const people = createGoogleSearchEngine(client, 'people');
    const runs = createGoogleSearchEngine(client);
    let asked = 0;
    const askOn = async (): Promise<never> => {
      for (;;) {
        await people.requestToken('example.com');
        asked += 1;
        // Nobody waits here: what is asked at once is looked at.
        if (slept.length > 0) throw new Error('waited');
      }
    };
    await assert.rejects(askOn(), /waited/);
    const inOneSlot = asked - 1;
    assert.ok(inOneSlot > 0 && inOneSlot <= 5, `${inOneSlot} questions in five seconds`);
    slept.length = 0;
    for (let call = 0; call < 2 * inOneSlot; call += 1) await runs.requestToken('example.com');
    assert.deepEqual(slept, []);
  });
});
