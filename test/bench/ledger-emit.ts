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
 * Acknowledged emits a second over HTTP, one event a request, by 32 clients into one namespace (the hardest case: one chain),
 * against `insertOne` of documents like the ledger's by 32 clients, with the same write concern, into a collection with the
 * same indexes, on the same server, in turns. The ledger is a process of its own, the clients are in this one. On
 * the embedded stand-in unless FAIRLEAD_TEST_MONGODB_URI names a real server.
 */
export const needsStack = false;

const CLIENTS = 32;
const ROUND_MS = 4_000;
const ROUNDS = 3;

const mongo = await startMongo();
const raw = await connectMongo(`${mongo.uri}_raw`, 'bench');
await createLedgerIndexes(raw.db);
const collection = raw.db.collection<EventDocument>(LEDGER_COLLECTIONS.events);
const ledger = await startLedgerProcess({ mongodbUri: mongo.uri, key: randomBytes(32).toString('hex') });
const pool = new Pool(ledger.url, { connections: CLIENTS, pipelining: 1 });
const body = JSON.stringify(emitBody());
const headers = { 'content-type': 'application/json', 'x-internal-key': ledger.key };

let made = 0;
const insertOne = async (): Promise<number> => {
  made += 1;
  await collection.insertOne(documentLike(made, EVENT_PAYLOAD));
  return 1;
};
const emit = async (): Promise<number> => {
  const response = await pool.request({ method: 'POST', path: '/v1/events/emit', headers, body });
  const text = await response.body.text();
  if (response.statusCode !== 201) throw new Error(text);
  return 1;
};

const load = { clients: CLIENTS, forMs: ROUND_MS };
const figures = { raw: [] as number[], ours: [] as number[] };
for (let round = -1; round < ROUNDS; round += 1) {
  const [theirs, ours] = [await ratePerSecond(insertOne, load), await ratePerSecond(emit, load)];
  if (round < 0) continue; // warm-up
  figures.raw.push(theirs);
  figures.ours.push(ours);
}
await pool.close();
await ledger.kill('SIGTERM');
await raw.db.dropDatabase();
await raw.close();
await mongo.stop();

console.log(`insertOne by ${CLIENTS} clients: ${figures.raw.map(Math.round).join(' ')} a second`);
console.log(`emits by ${CLIENTS} clients over HTTP: ${figures.ours.map(Math.round).join(' ')} a second`);
console.log(`ledger-emit: ${(median(figures.ours) / median(figures.raw)).toFixed(2)}`);
process.exit();
