import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import type { EventDocument } from '../../adapters/mongo/audit-ledger/event-document.ts';
import { createLedgerIndexes, LEDGER_COLLECTIONS } from '../../adapters/mongo/audit-ledger/indexes.ts';
import { connectMongo } from '../../adapters/mongo/connect.ts';
import { startLedgerProcess } from '../support/ledger-process.ts';
import { startMongo } from '../support/start-mongo.ts';
import { median } from './parts/median.ts';
import { ratePerSecond } from './parts/rate.ts';
import { documentLike, EVENT_PAYLOAD, emitBody } from './parts/raw-events.ts';

/**
 * Acknowledged emits a second over HTTP, one event a request, by 32 clients into one namespace (the hardest case: one chain),
 * against `insertOne` of documents like the ledger's by 32 clients, with the same write concern, into a collection with the
 * same indexes, on the same server, in turns. The figure is the median of the rounds' own ratios, as what else the machine
 * does changes from round to round. The ledger is a process of its own, the clients are in this one. On the embedded
 * stand-in unless FAIRLEAD_TEST_MONGODB_URI names a real server.
 */
export const needsStack = false;

const CLIENTS = 32;
const WARM_UPS = 8;
const ROUNDS = 9;
const ROUND_MS = 2_000;

const mongo = await startMongo();
const direct = await connectMongo(`${mongo.uri}_raw`, 'bench');
await createLedgerIndexes(direct.db);
const collection = direct.db.collection<EventDocument>(LEDGER_COLLECTIONS.events);
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
const rounds: { readonly raw: number; readonly ours: number }[] = [];
for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
  const [raw, ours] = [await ratePerSecond(insertOne, load), await ratePerSecond(emit, load)];
  if (round >= WARM_UPS) rounds.push({ raw, ours });
}
await pool.close();
await ledger.kill('SIGTERM');
await direct.db.dropDatabase();
await direct.close();
await mongo.stop();

const list = (values: readonly number[]): string => values.map(Math.round).join(' ');
console.log(`insertOne by ${CLIENTS} clients: ${list(rounds.map(({ raw }) => raw))} a second`);
console.log(`emits by ${CLIENTS} clients over HTTP: ${list(rounds.map(({ ours }) => ours))} a second`);
console.log(`ledger-emit: ${median(rounds.map(({ ours, raw }) => ours / raw)).toFixed(2)}`);
process.exit();
