import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import type { EventDocument } from '../../adapters/mongo/audit-ledger/event-document.ts';
import { createLedgerIndexes, LEDGER_COLLECTIONS } from '../../adapters/mongo/audit-ledger/indexes.ts';
import { connectMongo } from '../../adapters/mongo/connect.ts';
import { startMongo } from '../adapters/mongo/start-mongo.ts';
import { startLedgerProcess } from '../api/audit-ledger/ledger-process.ts';
import { median } from './parts/median.ts';
import { ratePerSecond } from './parts/rate.ts';
import { documentLike, EVENT_PAYLOAD, emitBody } from './parts/raw-events.ts';

/**
 * Acknowledged events a second through the batch route, 500 events a request and a receipt each, by 4 clients into one
 * namespace, against `insertOne` by 32 clients as in `ledger-emit`. How much a server gains from `insertMany` bounds it:
 * that gain is printed beside it. On the embedded stand-in unless FAIRLEAD_TEST_MONGODB_URI names a real server.
 */
export const needsStack = false;

const BATCH = 500;
const ROUNDS = 3;
const ROUND_MS = 4_000;

const mongo = await startMongo();
const raw = await connectMongo(`${mongo.uri}_raw`, 'bench');
await createLedgerIndexes(raw.db);
const collection = raw.db.collection<EventDocument>(LEDGER_COLLECTIONS.events);
const ledger = await startLedgerProcess({ mongodbUri: mongo.uri, key: randomBytes(32).toString('hex') });
const pool = new Pool(ledger.url, { connections: 4, pipelining: 1 });
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

const figures = { one: [] as number[], many: [] as number[], ours: [] as number[] };
for (let round = -1; round < ROUNDS; round += 1) {
  const one = await ratePerSecond(insertOne, { clients: 32, forMs: ROUND_MS });
  const many = await ratePerSecond(insertMany, { clients: 1, forMs: ROUND_MS });
  const ours = await ratePerSecond(emitBatch, { clients: 4, forMs: ROUND_MS });
  if (round < 0) continue; // warm-up
  figures.one.push(one);
  figures.many.push(many);
  figures.ours.push(ours);
}
await pool.close();
await ledger.kill('SIGTERM');
await raw.db.dropDatabase();
await raw.close();
await mongo.stop();

console.log(`insertOne by 32 clients: ${figures.one.map(Math.round).join(' ')} a second`);
console.log(`insertMany of ${BATCH} by one client: ${figures.many.map(Math.round).join(' ')} a second`);
console.log(`events in batches of ${BATCH} over HTTP: ${figures.ours.map(Math.round).join(' ')} a second`);
console.log(`ledger-emit-batch-of-insert-many: ${(median(figures.ours) / median(figures.many)).toFixed(2)}`);
console.log(`ledger-emit-batch: ${(median(figures.ours) / median(figures.one)).toFixed(2)}`);
process.exit();
