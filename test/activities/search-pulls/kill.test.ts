import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it, type TestContext } from 'node:test';
import { pullProperty } from '../../../activities/search-pulls/pull-property.ts';
import { connectMongo, type MongoConnection } from '../../../adapters/mongo/connect.ts';
import { ensureIndexes } from '../../../adapters/mongo/ensure-indexes.ts';
import { COLLECTIONS, INDEXES } from '../../../adapters/mongo/search-pulls/indexes.ts';
import { createSearchRowStore } from '../../../adapters/mongo/search-pulls/rows.ts';
import { createSearchWindowStore } from '../../../adapters/mongo/search-pulls/windows.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { SearchRowStore, SearchWindowStore } from '../../../domain/search-pulls/ports.ts';
import { WINDOW_DAYS } from '../../../domain/search-pulls/windows.ts';
import { allStoredRows } from '../../support/all-stored-rows.ts';
import { createSearchPullsParts } from '../../support/in-memory/search-pulls-parts.ts';
import { type PullOrder, startPullProcess } from '../../support/search-pull-process.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { googleError } from '../../vendors/google/google-error.ts';
import type { SiteTraffic } from '../../vendors/google/search-traffic.ts';
import { startSearchAnalytics, type TestSearchAnalytics } from '../../vendors/google/start-search-analytics.ts';

const TOKEN = 'ya29.kill';
const TODAY = '2026-06-17';
const KILLS = 10;
/** The whole proof is of 120 properties of 16 months, and takes long: FAIRLEAD_TEST_SEARCH_PULL=120. A few are of one month. */
const PROPERTIES = Number(process.env.FAIRLEAD_TEST_SEARCH_PULL ?? 2);
const IS_WHOLE = PROPERTIES > 2;
const SINCE = IS_WHOLE ? '2025-01-01' : '2026-05-16';
const MOMENT = Date.parse(`${TODAY}T18:00:00Z`);

/** What a pull without a fault leaves of a property. */
interface Expected {
  readonly domain: string;
  readonly site: SiteTraffic;
  /** Of all of its rows and windows: those themselves are forgotten, and made once more where they are not found. */
  readonly digest: string;
  readonly parts: number;
  readonly requests: number;
}

/** A property that has rows of its own, so that none is taken for one of another property. */
const trafficOf = (index: number): Partial<SiteTraffic> => ({
  ...{ seed: 1_000 + index, silentDays: index % 3, since: SINCE },
  rows: index === 0 && !IS_WHOLE ? { query: 1_500 } : {},
});

/** Pulls a property in memory, where nothing fails. */
async function pullInMemory(domain: string, index: number) {
  const parts = createSearchPullsParts();
  const { siteUrl } = parts.add(domain, trafficOf(index));
  const job = { property: domain, since: parts.clock.now.toISOString() };
  await pullProperty(parts.deps, job, new AbortController().signal);
  const { rows, windows, analytics } = parts.deps;
  const site = analytics.sites.get(siteUrl) ?? assert.fail();
  return {
    site,
    requests: analytics.asked.length,
    parts: rows.partCount(domain),
    lines: await allLines({ rows, windows }, domain),
  };
}

/** Every row of every day and month, and the windows, as lines. */
async function allLines(
  { rows, windows }: { readonly rows: SearchRowStore; readonly windows: SearchWindowStore },
  property: string,
): Promise<readonly string[]> {
  const series = { property, type: 'web' } as const;
  const lines = [...(await allStoredRows(rows, series))];
  for (const days of WINDOW_DAYS) {
    const { rolledUpAt: _, ...window } = (await windows.find(series, days, 1_000)) ?? {};
    lines.push(JSON.stringify(window, sortedKeys));
  }
  return lines;
}

const sortedKeys = (_: string, value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

/** A database that is slow for a moment is asked again, as a pull does. */
async function readPatiently<T>(t: TestContext, read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      if (attempt === 5 || !(error instanceof FairleadError && error.retryable)) throw error;
      t.diagnostic(`read again: ${error.message}`);
    }
  }
}

/** A diff of hundreds of thousands of lines would take more memory than there is. */
function firstDifference(domain: string, lines: readonly string[], expected: readonly string[]): string {
  const at = expected.findIndex((line, index) => line !== lines[index]);
  const where = at === -1 ? expected.length : at;
  return `${domain}: ${lines.length} lines instead of ${expected.length}; line ${where} is ${lines[where]} instead of ${expected[where]}`;
}

const digestOf = (lines: readonly string[]): string => createHash('sha256').update(lines.join('\n')).digest('hex');

describe('a pull whose processes are killed ten times, of a search engine that fails', {
  // The stand-in of MongoDB has no index for ranges: the last sweeps for leftovers read all parts of all properties.
  timeout: IS_WHOLE ? 14_400_000 : 900_000,
}, () => {
  let mongo: TestMongo;
  let connection: MongoConnection;
  let server: TestSearchAnalytics;
  const expected: Expected[] = [];
  before(async () => {
    mongo = await startMongo();
    connection = await connectMongo(mongo.uriOf('pulls'), 'fairlead-test');
    await ensureIndexes(connection.db, INDEXES);
    server = await startSearchAnalytics({ token: TOKEN, today: TODAY });
    for (let index = 0; index < PROPERTIES; index += 1) {
      const domain = `site-${index}.com`;
      const { lines, ...facts } = await pullInMemory(domain, index);
      expected.push({ domain, digest: digestOf(lines), ...facts });
      server.sites.set(`sc-domain:${domain}`, facts.site);
    }
  });
  after(async () => {
    await server?.stop();
    await connection?.db.dropDatabase();
    await connection?.close();
    await mongo?.stop();
  });

  /** Has processes pull all until one comes to the end, and kills ten of them before. @returns requests that were made */
  async function pullWithKills(t: TestContext, requests: number): Promise<number> {
    const startedAt = performance.now();
    const order: PullOrder = {
      ...{ mongodbUri: mongo.uriOf('pulls'), server: server.url, token: TOKEN },
      ...{ properties: expected.map(({ domain }) => domain), since: new Date(MOMENT).toISOString() },
      ...{ moment: MOMENT, at: Date.now() },
    };
    const faults = failNowAndThen(server);
    let killed = 0;
    let next = startPullProcess(order);
    // Where this fails, the process that is ready keeps nothing open.
    t.after(async () => (await next).kill());
    for (let isWhole = false; !isWhole; ) {
      const current = await next;
      // The kills are spread over the pull: one lies between two requests, the next within a write.
      const delayMs = (killed % 3) * 2;
      if (killed < KILLS) {
        faults.after(Math.ceil(requests / (KILLS + 3)), () => void setTimeout(current.kill, delayMs));
        next = startPullProcess(order);
      }
      isWhole = await current.pull();
      if (!isWhole) killed += 1;
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      t.diagnostic(`${killed} kills, ${faults.asked()} requests of ${requests} without one, ${seconds} s`);
    }
    assert.equal(killed, KILLS);
    return faults.asked();
  }

  it('ends with exactly the rows of a pull without a fault, and leaves nothing else behind', async (t) => {
    const requests = expected.reduce((sum, one) => sum + one.requests, 0);
    const asked = await pullWithKills(t, requests);
    const stored = { rows: createSearchRowStore(connection), windows: createSearchWindowStore(connection) };
    for (const [index, { domain, digest }] of expected.entries()) {
      const lines = await readPatiently(t, () => allLines(stored, domain));
      // The rows themselves are compared where they differ, so that it is told which.
      if (digestOf(lines) !== digest)
        assert.fail(firstDifference(domain, lines, (await pullInMemory(domain, index)).lines));
      if (index % 10 === 9) t.diagnostic(`${index + 1} of ${expected.length} properties are equal`);
    }
    const parts = expected.reduce((sum, one) => sum + one.parts, 0);
    assert.equal(await connection.db.collection(COLLECTIONS.parts).estimatedDocumentCount(), parts);
    // Days that were stored before a kill were not read again: each kill costs the days under way, and the totals.
    assert.ok(asked < requests * 1.6, `${asked} requests instead of ${requests}`);
  });
});

/** A search engine that answers 503 now and then, or cuts the connection. */
function failNowAndThen(server: TestSearchAnalytics) {
  let asked = 0;
  let due: { readonly at: number; readonly run: () => void } | null = null;
  server.pageRows = 9_000;
  server.fault = (_request, response) => {
    asked += 1;
    if (due !== null && asked >= due.at) {
      due.run();
      due = null;
    }
    if (asked % 31 === 0) return googleError(503, 'backendError', 'Backend Error');
    if (asked % 67 !== 0) return null;
    response.socket?.destroy();
    return 'answered';
  };
  return {
    asked: () => asked,
    /** Runs something with one request, so many after this moment. */
    after(requests: number, run: () => void): void {
      due = { at: asked + requests, run };
    },
  };
}
