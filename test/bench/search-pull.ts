import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Db } from 'mongodb';
import { pullProperty } from '../../activities/search-pulls/pull-property.ts';
import { createCallBudget } from '../../adapters/call-budget.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSearchAnalytics } from '../../adapters/google/search-analytics.ts';
import { connectMongo } from '../../adapters/mongo/connect.ts';
import { createQuotaCounters } from '../../adapters/mongo/properties/quota-counters.ts';
import { createPulledProperties, createPullRunStore } from '../../adapters/mongo/search-pulls/pull-runs.ts';
import { createSearchRowStore } from '../../adapters/mongo/search-pulls/rows.ts';
import { createSearchWindowStore } from '../../adapters/mongo/search-pulls/windows.ts';
import { createSiteRegistryIndexes } from '../../adapters/mongo/site-registry-database.ts';
import type { Dimension } from '../../domain/search-pulls/dimensions.ts';
import { addDays, daysOf } from '../../domain/search-pulls/pacific-day.ts';
import { createGoogleAccount } from '../support/google-account.ts';
import { startMongo } from '../support/start-mongo.ts';
import { rowsOfDay, type VendorRow } from '../vendors/google/search-traffic.ts';
import { databaseServer } from './parts/database-server.ts';
import { median } from './parts/median.ts';

/**
 * Rows a second that a pull reads over HTTP by the vendor's client, stores and rolls up, against bare bulk upserts of the same rows: a
 * document each, keyed by property, day, type, dimension and key, 1,000 in a command. Both write with a majority, in turns,
 * each round into a database of its own. What the vendor needs to count is left out: its answers are made beforehand.
 */
export const needsStack = false;

const TODAY = '2026-06-17';
const DAYS = daysOf({ from: addDays(TODAY, -20), to: addDays(TODAY, -4) });
const ROWS = { query: 4_000, page: 2_000 };
const ROUNDS = 5;
const UPSERTS = 1_000;
const FINAL = { type: 'web', share: 1 } as const;

const traffic = { seed: 1, since: DAYS[0] ?? TODAY, rows: ROWS };
const rowsOf = (day: string, dimension: Dimension): readonly VendorRow[] =>
  rowsOfDay(traffic, day, { ...FINAL, dimension });
const answers = new Map<string, string>();
for (const day of DAYS) {
  for (const dimension of ['query', 'page', 'country', 'device', 'searchAppearance'] as const) {
    answers.set(`${day} ${dimension} 0`, JSON.stringify({ rows: rowsOf(day, dimension) }));
  }
}
const bare = DAYS.flatMap((day) =>
  (['query', 'page', 'country', 'device', 'searchAppearance'] as const).flatMap((dimension) =>
    rowsOf(day, dimension).map(({ keys: [key], clicks, impressions, position }) => ({
      _id: `shop.com/web/${day}/${dimension}/${key}`,
      fields: { property: 'shop.com', type: 'web', day, dimension, key, clicks, impressions, position },
    })),
  ),
);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { startDate, dimensions, startRow } = JSON.parse(Buffer.concat(chunks).toString()) as {
      startDate: string;
      dimensions: [Dimension];
      startRow: number;
    };
    const isTotals = dimensions[0] === 'date' && startRow === 0;
    const totals = () => JSON.stringify({ rows: DAYS.flatMap((day) => rowsOf(day, 'date')) });
    response.setHeader('content-type', 'application/json');
    response.end(isTotals ? totals() : (answers.get(`${startDate} ${dimensions[0]} ${startRow}`) ?? '{}'));
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const account = await createGoogleAccount(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
const mongo = await startMongo();
/** So many that nothing waits; each call is counted in the database as in production. */
const MANY = 1_000_000_000;
const limits = { propertyPerMinute: MANY, accountPerMinute: MANY, projectPerMinute: MANY, projectPerDay: MANY };

async function pull(db: Db): Promise<void> {
  await createSiteRegistryIndexes(db);
  let moment = Date.parse(`${TODAY}T18:00:00Z`);
  const now = () => {
    moment += 1;
    return new Date(moment);
  };
  const clock = () => new Date();
  const budget = createCallBudget({ counters: createQuotaCounters({ db, now: clock }), now: clock });
  const deps = {
    properties: {
      list: async () => ({ items: [], nextCursor: null }),
      find: async (domain: string) => ({ domain, siteUrl: `sc-domain:${domain}` }),
    },
    analytics: createSearchAnalytics({ google: account.google, budget, account: 'a', limits }),
    rows: createSearchRowStore({ db }),
    windows: createSearchWindowStore({ db }),
    runs: createPullRunStore({ db }),
    pulled: createPulledProperties({ db }),
    commands: { holder: async () => undefined, pullAll: async () => undefined },
    ...{ newId, now },
    settings: { types: ['web' as const], parallelism: 1, attemptMs: 3_600_000 },
  };
  const job = { property: 'shop.com', since: now().toISOString() };
  const { rows } = await pullProperty(deps, job, new AbortController().signal);
  if (rows !== bare.length) throw new Error(`${rows} rows instead of ${bare.length}`);
}

async function upsert(db: Db): Promise<void> {
  const collection = db.collection<{ _id: string }>('bare');
  for (let start = 0; start < bare.length; start += UPSERTS) {
    const updates = bare
      .slice(start, start + UPSERTS)
      .map(({ _id, fields }) => ({ updateOne: { filter: { _id }, update: { $set: fields }, upsert: true } }));
    await collection.bulkWrite(updates, { ordered: false });
  }
}

async function ratePerSecond(name: string, work: (db: Db) => Promise<void>): Promise<number> {
  const connection = await connectMongo(mongo.uriOf(name), 'bench');
  const startedAt = performance.now();
  await work(connection.db);
  const seconds = (performance.now() - startedAt) / 1_000;
  await connection.db.dropDatabase();
  await connection.close();
  return bare.length / seconds;
}

const rounds: { readonly ours: number; readonly bare: number }[] = [];
for (let round = -1; round < ROUNDS; round += 1) {
  const upserts = await ratePerSecond(`bare${round + 1}`, upsert);
  const ours = await ratePerSecond(`pull${round + 1}`, pull);
  if (round >= 0) rounds.push({ ours, bare: upserts });
}
console.log(`database: ${await databaseServer(mongo.connection.db)}`);
console.log(`${bare.length} rows of ${DAYS.length} days`);
console.log(`bare bulk upserts: ${Math.round(median(rounds.map((each) => each.bare)))} rows a second`);
console.log(`pulled: ${Math.round(median(rounds.map(({ ours }) => ours)))} rows a second`);
console.log(`search-pull: ${median(rounds.map((each) => each.ours / each.bare)).toFixed(2)}`);
await account.remove();
await mongo.stop();
process.exit();
