import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import type { EventDocument } from '../../adapters/mongo/audit-ledger/event-document.ts';
import { createLedgerIndexes, LEDGER_COLLECTIONS } from '../../adapters/mongo/audit-ledger/indexes.ts';
import { connectMongo } from '../../adapters/mongo/connect.ts';
import { startLedgerProcess } from '../support/ledger-process.ts';
import { startMongo } from '../support/start-mongo.ts';
import { databaseServer } from './parts/database-server.ts';
import { median } from './parts/median.ts';
import { ratePerSecond } from './parts/rate.ts';
import { documentLike, EVENT_PAYLOAD, emitBody } from './parts/raw-events.ts';

/**
 * Acknowledged events a second through the batch route, 500 events a request and a receipt each, by a few clients into one
 * namespace, against `insertOne` by 32 clients as in `ledger-emit`: the same collection, indexes and write concern, in turns,
 * everything warm. The figure is the median of the rounds' own ratios, as what else the machine does changes from round to
 * round. How much a server gains from `insertMany` bounds it: that gain is printed beside it. On the embedded
 * stand-in unless FAIRLEAD_TEST_MONGODB_URI names a real server.
 */
export const needsStack = false;

const BATCH = 500;
const EMITTERS = 4;
const INSERTERS = 32;
const WARM_UPS = 2;
const ROUNDS = 9;
const ROUND_MS = 2_000;

const mongo = await startMongo();
const raw = await connectMongo(mongo.uriOf('raw'), 'bench');
await createLedgerIndexes(raw.db);
const collection = raw.db.collection<EventDocument>(LEDGER_COLLECTIONS.events);
const ledger = await startLedgerProcess({ mongodbUri: mongo.uri, key: randomBytes(32).toString('hex') });
const pool = new Pool(ledger.url, { connections: EMITTERS, pipelining: 1 });
const body = JSON.stringify({ events: Array.from({ length: BATCH }, () => emitBody()) });
const headers = { 'content-type': 'application/json', 'x-internal-key': ledger.key };

let made = 0;
const next = (): EventDocument => documentLike(++made, EVENT_PAYLOAD);
const insertOne = async (): Promise<number> => {
  await collection.insertOne(next());
  return 1;
};
const insertMany = async (): Promise<number> => {
  await collection.insertMany(Array.from({ length: BATCH }, next));
  return BATCH;
};
const emitBatch = async (): Promise<number> => {
  const response = await pool.request({ method: 'POST', path: '/v1/events/batch', headers, body });
  const text = await response.body.text();
  if (response.statusCode !== 201) throw new Error(text);
  return BATCH;
};

const rounds: { readonly one: number; readonly many: number; readonly ours: number }[] = [];
for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
  const one = await ratePerSecond(insertOne, { clients: INSERTERS, forMs: ROUND_MS });
  const many = await ratePerSecond(insertMany, { clients: 1, forMs: ROUND_MS });
  const ours = await ratePerSecond(emitBatch, { clients: EMITTERS, forMs: ROUND_MS });
  if (round >= WARM_UPS) rounds.push({ one, many, ours });
}
const database = await databaseServer(raw.db);
await pool.close();
await ledger.kill('SIGTERM');
await raw.db.dropDatabase();
await raw.close();
await mongo.stop();

const list = (values: readonly number[]): string => values.map(Math.round).join(' ');
console.log(`database: ${database}`);
console.log(`insertOne by ${INSERTERS} clients: ${list(rounds.map(({ one }) => one))} a second`);
console.log(`insertMany of ${BATCH} by one client: ${list(rounds.map(({ many }) => many))} a second`);
console.log(`events in batches of ${BATCH} over HTTP: ${list(rounds.map(({ ours }) => ours))} a second`);
console.log(`ledger-emit-batch-of-insert-many: ${median(rounds.map(({ ours, many }) => ours / many)).toFixed(2)}`);
console.log(`ledger-emit-batch: ${median(rounds.map(({ ours, one }) => ours / one)).toFixed(2)}`);
process.exit();
