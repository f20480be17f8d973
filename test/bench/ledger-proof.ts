import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { z } from 'zod';
import { buildTree } from '../../adapters/merkle/build-tree.ts';
import { createAnchoringIndexes } from '../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createBatchStore } from '../../adapters/mongo/audit-ledger/batches.ts';
import { createEventStore } from '../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../../adapters/mongo/audit-ledger/indexes.ts';
import { connectMongo } from '../../adapters/mongo/connect.ts';
import { chainAfter, headOf } from '../../domain/audit-ledger/chain.ts';
import { addDays, startOfDay } from '../../domain/audit-ledger/days.ts';
import type { ChainHead, LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { rootOfProof } from '../../domain/audit-ledger/merkle-proof.ts';
import { fromHash, toHash } from '../../domain/audit-ledger/merkle-tree.ts';
import { hashSchema } from '../../domain/audit-ledger/schema.ts';
import { startLedgerProcess } from '../support/ledger-process.ts';
import { startMongo } from '../support/start-mongo.ts';
import { databaseServer } from './parts/database-server.ts';
import { median } from './parts/median.ts';

/**
 * Whether the latency of a proof grows with the age of the ledger: `GET /v1/proofs/:eventId` over HTTP, for events spread
 * over all days and namespaces, on a ledger of ten years (3,650 days with 20 namespaces each) and on one of two days with
 * the same 20, asked in turns in the same run. 1.0 means that the years do not matter. Each ledger is a process of its own
 * on a database of its own, and every proof is checked.
 */
export const needsStack = false;

const NAMESPACES = 20;
const FEW_DAYS = 2;
const MANY_DAYS = 3_650;
const FIRST_DAY = '2020-01-01';
const ROUNDS = 9;
const PROOFS = 100;

const proofReply = z.object({
  data: z.object({ eventHash: hashSchema, proof: z.array(hashSchema), root: hashSchema }),
});

const mongo = await startMongo();
const few = await openLedger('few', FEW_DAYS);
const many = await openLedger('many', MANY_DAYS);
const figures = { few: [] as number[], many: [] as number[] };
for (let round = -2; round < ROUNDS; round += 1) {
  const times = { few: await time(few), many: await time(many) };
  if (round < 0) continue; // warm-up
  for (const name of ['few', 'many'] as const) figures[name].push(times[name]);
}
const database = await databaseServer(mongo.connection.db);
for (const { close } of [few, many]) await close();
await mongo.stop();

const ms = (values: readonly number[]): string =>
  `${median(values).toFixed(2)} ms (${values.map((value) => value.toFixed(2)).join(' ')})`;
console.log(`database: ${database}`);
console.log(`a proof over HTTP, ${FEW_DAYS} days with ${NAMESPACES} namespaces: ${ms(figures.few)}`);
console.log(`a proof over HTTP, ${MANY_DAYS} days with ${NAMESPACES} namespaces: ${ms(figures.many)}`);
console.log(`ledger-proof: ${(median(figures.many) / median(figures.few)).toFixed(2)}`);
process.exit();

type Db = Awaited<ReturnType<typeof connectMongo>>['db'];

/** A ledger in a process of its own, whose nights are all over. */
async function openLedger(name: string, days: number) {
  const uri = mongo.uriOf(name);
  const connection = await connectMongo(uri, 'bench');
  const startedAt = performance.now();
  const ids = await fill(connection.db, days);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.error(`${ids.length} events in ${days} batches written in ${seconds} s`);
  const ledger = await startLedgerProcess({ mongodbUri: uri, key: randomBytes(32).toString('hex') });
  const pool = new Pool(ledger.url, { connections: 1, pipelining: 1 });
  const close = async (): Promise<void> => {
    await pool.close();
    await ledger.kill('SIGTERM');
    await connection.db.dropDatabase();
    await connection.close();
  };
  return { ids, pool, key: ledger.key, close };
}

/** One event a day in every namespace, and the batch of each day. @returns the ids of the events */
async function fill(db: Db, days: number): Promise<string[]> {
  await createLedgerIndexes(db);
  await createAnchoringIndexes(db);
  const [store, batches] = [createEventStore({ db }), createBatchStore({ db })];
  const heads = new Map<string, ChainHead>();
  const ids: string[] = [];
  for (let number = 0; number < days; number += 1) {
    const day = addDays(FIRST_DAY, number);
    const events = Array.from({ length: NAMESPACES }, (_, index) => nextEvent(heads, `service${index}`, day));
    await store.append(events);
    ids.push(...events.map(({ id }) => id));
    const eventHashes = Buffer.concat(events.map(({ eventHash }) => fromHash(eventHash)));
    const tree = buildTree(eventHashes);
    const segments = events.map(({ namespace, chainIndex }, firstLeafIndex) => {
      return { namespace, firstChainIndex: chainIndex, firstLeafIndex, count: 1 };
    });
    const eventIds = events.map(({ id }) => id);
    const content = { segments, eventHashes, eventIds, orgSlugs: events.map(({ orgSlug }) => orgSlug), tree };
    const root = toHash(tree.nodes.subarray(0, 32));
    const closedAt = startOfDay(addDays(day, 1));
    await batches.insert({ id: day, root, leafCount: events.length, chainIds: [], closedAt }, content);
  }
  return ids;
}

function nextEvent(heads: Map<string, ChainHead>, namespace: string, day: string): LedgerEvent {
  const draft = {
    namespace,
    orgSlug: 'acme',
    emitter: `${namespace}-prod`,
    eventType: 'payment.created',
    entityId: 'order-1',
    payload: '{"data":{},"metadata":{}}',
    idempotency: null,
  };
  const id = `evt_${randomBytes(10).toString('hex')}`;
  const [event] = chainAfter(heads.get(namespace) ?? null, [{ id, draft }], startOfDay(day));
  if (event === undefined) throw new Error('nothing was chained');
  heads.set(namespace, headOf(event));
  return event;
}

/** Milliseconds of one proof, the middle of many for events spread over the days and namespaces. */
async function time({ ids, pool, key }: Awaited<ReturnType<typeof openLedger>>): Promise<number> {
  const times: number[] = [];
  for (let proof = 0; proof < PROOFS; proof += 1) {
    const id = ids[(proof * 7_919) % ids.length] ?? '';
    const startedAt = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: `/v1/proofs/${id}`,
      headers: { 'x-internal-key': key },
    });
    const text = await body.text();
    times.push(performance.now() - startedAt);
    if (statusCode !== 200) throw new Error(text);
    const { data } = proofReply.parse(JSON.parse(text));
    if (rootOfProof(data.eventHash, data.proof) !== data.root) throw new Error(`${id} is not proven`);
  }
  return median(times);
}
