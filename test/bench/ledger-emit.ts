import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import type { EventDocument } from '../../adapters/mongo/audit-ledger/event-document.ts';
import { createLedgerIndexes, LEDGER_COLLECTIONS } from '../../adapters/mongo/audit-ledger/indexes.ts';
import { connectMongo } from '../../adapters/mongo/connect.ts';
import { serviceRow } from '../../domain/services.ts';
import { startLedgerProcess } from '../support/ledger-process.ts';
import { startMongo } from '../support/start-mongo.ts';
import { databaseServer } from './parts/database-server.ts';
import { mintToken, startFairlead } from './parts/idp-process.ts';
import { median } from './parts/median.ts';
import { ratePerSecond } from './parts/rate.ts';
import { documentLike, EVENT_PAYLOAD, emitBody } from './parts/raw-events.ts';

/**
 * Acknowledged emits a second over HTTP, one event a request, on 32 connections with tokens of the real identity provider:
 * of one caller into its one namespace (one chain), and of 32 callers into the 32 namespaces that are theirs (32 chains).
 * Each against `insertOne` of documents like the ledger's by 32 clients, with the same write concern, into a collection
 * with the same indexes, on the same server, in turns. The figure is the lower of the two; each is the median of the
 * rounds' own ratios, as what else the machine does changes from round to round. The ledger and the provider are processes
 * of their own, the clients are in this one. On the embedded stand-in unless FAIRLEAD_TEST_MONGODB_URI names a real server.
 */
export const needsStack = false;

const CALLERS = 32;
const WARM_UPS = 8;
const ROUNDS = 9;
const ROUND_MS = 2_000;

const callers = Array.from({ length: CALLERS }, (_, index) => {
  return { clientId: `bench${index}-prod`, secret: `flcs_${randomBytes(32).toString('base64url')}` };
});
const audience = serviceRow('audit-ledger').platformClient;
const provider = await startFairlead(callers);
const tokens = await Promise.all(callers.map((one) => mintToken(provider, one, audience)));
const mongo = await startMongo();
const direct = await connectMongo(mongo.uriOf('raw'), 'bench');
await createLedgerIndexes(direct.db);
const collection = direct.db.collection<EventDocument>(LEDGER_COLLECTIONS.events);
const ledger = await startLedgerProcess({
  mongodbUri: mongo.uri,
  key: provider.internalKey,
  idpUrl: provider.issuer,
});
const pool = new Pool(ledger.url, { connections: CALLERS, pipelining: 1 });
// Each caller's events go to the namespace of its own client.
const { namespace: _, ...event } = emitBody();
const body = JSON.stringify(event);

let made = 0;
let refused = 0;
const insertOne = async (): Promise<number> => {
  made += 1;
  await collection.insertOne(documentLike(made, EVENT_PAYLOAD));
  return 1;
};
const emit = async (token: string): Promise<number> => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await pool.request({ method: 'POST', path: '/v1/events/emit', headers, body });
  const text = await response.body.text();
  if (response.statusCode === 201) return 1;
  // A machine that is too busy to follow the denylist refuses for now: such an emit is not acknowledged.
  if (response.statusCode !== 503) throw new Error(text);
  refused += 1;
  return 0;
};

const load = { clients: CALLERS, forMs: ROUND_MS };
const rounds: { readonly raw: number; readonly one: number; readonly many: number }[] = [];
for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
  const raw = await ratePerSecond(insertOne, load);
  const one = await ratePerSecond(() => emit(tokens[0] ?? ''), load);
  const many = await ratePerSecond((caller) => emit(tokens[caller] ?? ''), load);
  if (round >= WARM_UPS) rounds.push({ raw, one, many });
}
const database = await databaseServer(direct.db);
await pool.close();
await ledger.kill('SIGTERM');
await provider.stop();
await direct.db.dropDatabase();
await direct.close();
await mongo.stop();

const list = (values: readonly number[]): string => values.map(Math.round).join(' ');
const ofOne = median(rounds.map(({ one, raw }) => one / raw));
const ofMany = median(rounds.map(({ many, raw }) => many / raw));
console.log(`database: ${database}`);
console.log(`insertOne by ${CALLERS} clients: ${list(rounds.map(({ raw }) => raw))} a second`);
console.log(`emits of one caller into one namespace: ${list(rounds.map(({ one }) => one))} a second`);
console.log(`emits of ${CALLERS} callers into a namespace each: ${list(rounds.map(({ many }) => many))} a second`);
if (refused > 0) console.log(`emits refused for now, as the machine was too busy: ${refused}`);
console.log(`ledger-emit-of-one-caller: ${ofOne.toFixed(2)}`);
console.log(`ledger-emit-of-${CALLERS}-callers: ${ofMany.toFixed(2)}`);
console.log(`ledger-emit: ${Math.min(ofOne, ofMany).toFixed(2)}`);
process.exit();
