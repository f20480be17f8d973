import { rollUp } from '../../activities/search-pulls/roll-up.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { connectMongo } from '../../adapters/mongo/connect.ts';
import { ensureIndexes } from '../../adapters/mongo/ensure-indexes.ts';
import { INDEXES } from '../../adapters/mongo/search-pulls/indexes.ts';
import { createSearchRowStore } from '../../adapters/mongo/search-pulls/rows.ts';
import { createSearchWindowStore } from '../../adapters/mongo/search-pulls/windows.ts';
import type { SearchPullsDeps } from '../../api/search-pulls/deps.ts';
import { readNumbers } from '../../api/search-pulls/read-numbers.ts';
import { addDays } from '../../domain/search-pulls/pacific-day.ts';
import { searchReply } from '../../domain/search-pulls/search-schema.ts';
import { dayOf, rowsOf } from '../ports/search-pulls/records.ts';
import { startMongo } from '../support/start-mongo.ts';
import { databaseServer } from './parts/database-server.ts';
import { median } from './parts/median.ts';

/**
 * How long the 90-day read takes, as the route makes it, of a property with a million rows in these days, against the same
 * read of one with ten thousand: in turns, everything warm. The read of a range that no window covers, which adds rows up,
 * is printed beside it.
 */
export const needsStack = false;

const DAYS = 90;
const TODAY = '2026-06-17';
const FIRST = addDays(TODAY, -DAYS - 3);
const READS = 300;
const SIZES = { large: 1_000_000, small: 10_000 } as const;

const mongo = await startMongo();
const { db } = await connectMongo(mongo.uriOf('read'), 'bench');
await ensureIndexes(db, INDEXES);
const now = () => new Date(`${TODAY}T18:00:00Z`);
const searchRows = createSearchRowStore({ db });
const searchWindows = createSearchWindowStore({ db });
const deps = { searchRows, searchWindows, now } as unknown as SearchPullsDeps;

for (const [property, total] of Object.entries(SIZES)) {
  const perDay = Math.round(total / DAYS);
  const queries = rowsOf(Math.round(perDay * 0.65), 'query');
  const pages = rowsOf(Math.round(perDay * 0.3), 'https://www.example.com/pages/');
  const others = rowsOf(Math.round(perDay * 0.02), 'de');
  for (let index = 0; index < DAYS; index += 1) {
    const rows = { query: queries, page: pages, country: others, device: others.slice(0, 3) };
    const { period, parts } = dayOf({ property, type: 'web' }, rows, { period: addDays(FIRST, index) });
    await searchRows.write(period, parts);
  }
  const activityDeps = { rows: searchRows, windows: searchWindows, newId, now } as unknown as Parameters<
    typeof rollUp
  >[0];
  await rollUp(activityDeps, { property, type: 'web' }, new AbortController().signal);
}

async function read(property: string, period: Parameters<typeof readNumbers>[1]['period']): Promise<number> {
  const startedAt = performance.now();
  const found = await readNumbers(deps, { property, type: 'web', period, limit: 10 });
  const reply = searchReply(property, 90, found, 10);
  const ms = performance.now() - startedAt;
  if (reply.queries.length !== 10 || reply.daily.length < 80) throw new Error(`${property} has other numbers`);
  return ms;
}

const times: Record<keyof typeof SIZES, number[]> = { large: [], small: [] };
for (let index = -50; index < READS; index += 1) {
  for (const property of ['large', 'small'] as const) {
    const ms = await read(property, { days: 90 });
    if (index >= 0) times[property].push(ms);
  }
}
const range = { range: { from: addDays(FIRST, 1), to: addDays(FIRST, DAYS - 2) } };
const added = { large: await read('large', range), small: await read('small', range) };
console.log(`database: ${await databaseServer(db)}`);
for (const property of ['large', 'small'] as const) {
  const text = `${SIZES[property]} rows: 90 days ${median(times[property]).toFixed(2)} ms`;
  console.log(`${text}; a range of 88 days ${added[property].toFixed(0)} ms`);
}
console.log(`search-read: ${(median(times.large) / median(times.small)).toFixed(2)}`);
await db.dropDatabase();
await mongo.stop();
process.exit();
