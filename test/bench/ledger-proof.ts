import { createHash } from 'node:crypto';
import { buildTree } from '../../adapters/merkle/build-tree.ts';
import { createAnchoringIndexes } from '../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createBatchStore } from '../../adapters/mongo/audit-ledger/batches.ts';
import { connectMongo, type MongoConnection } from '../../adapters/mongo/connect.ts';
import { addDays } from '../../domain/audit-ledger/days.ts';
import { rootOfProof } from '../../domain/audit-ledger/merkle-proof.ts';
import { toHash } from '../../domain/audit-ledger/merkle-tree.ts';
import type { BatchStore } from '../../domain/audit-ledger/ports.ts';
import { startMongo } from '../support/start-mongo.ts';
import { median } from './parts/median.ts';

/**
 * Whether the latency of a proof grows with the other days: an event found in its batch and proven, on a ledger with one
 * other big day and on one with thirty, asked in turns in the same run. 1.0 means that they do not matter. Printed beside
 * it: the latency in a day of ten events, which shows what the size of the event's own day costs.
 */
export const needsStack = false;

const OWN_LEAVES = 20_000;
const OTHER_LEAVES = 60_000;
const ROUNDS = 7;
const PROOFS = 60;
const DAY = '2026-01-01';

const mongo = await startMongo();
const few = await openLedger('few', 1);
const many = await openLedger('many', 30);
const small = await openLedger('small', 0, 10);

const figures = { few: [] as number[], many: [] as number[], small: [] as number[] };
for (let round = -2; round < ROUNDS; round += 1) {
  const times = { few: await time(few), many: await time(many), small: await time(small) };
  if (round < 0) continue; // warm-up
  for (const name of ['few', 'many', 'small'] as const) figures[name].push(times[name]);
}
for (const { connection } of [few, many, small]) {
  await connection.db.dropDatabase();
  await connection.close();
}
await mongo.stop();

const ms = (values: readonly number[]): string =>
  `${median(values).toFixed(2)} ms (${values.map((value) => value.toFixed(2)).join(' ')})`;
console.log(`a proof with 1 other day of ${OTHER_LEAVES} events: ${ms(figures.few)}`);
console.log(`a proof with 30 such days: ${ms(figures.many)}`);
console.log(`a proof in a day of 10 events, no other days: ${ms(figures.small)}`);
console.log(`ledger-proof: ${(median(figures.many) / median(figures.few)).toFixed(2)}`);
process.exit();

async function openLedger(name: string, otherDays: number, leaves = OWN_LEAVES) {
  const connection: MongoConnection = await connectMongo(mongo.uri, 'fairlead-bench', `bench_${name}_${process.pid}`);
  await createAnchoringIndexes(connection.db);
  const store = createBatchStore(connection);
  const root = await insertDay(store, DAY, 0, leaves);
  for (let day = 1; day <= otherDays; day += 1) {
    await insertDay(store, addDays(DAY, day), leaves + (day - 1) * OTHER_LEAVES, OTHER_LEAVES);
  }
  return { connection, store, root, leaves };
}

function hashOf(index: number): Buffer {
  return createHash('sha256').update(`event ${index}`).digest();
}

async function insertDay(store: BatchStore, id: string, firstChainIndex: number, count: number): Promise<string> {
  const indexes = Array.from({ length: count }, (_, index) => firstChainIndex + index);
  const eventHashes = Buffer.concat(indexes.map(hashOf));
  const tree = buildTree(eventHashes);
  const root = toHash(tree.nodes.subarray(0, 32));
  const segments = [{ namespace: 'shop', firstChainIndex, firstLeafIndex: 0, count }];
  const eventIds = indexes.map((index) => `evt_${String(index).padStart(20, '0')}`);
  const content = { segments, eventHashes, eventIds, orgSlugs: indexes.map(() => 'acme'), tree };
  await store.insert({ id, root, leafCount: count, chainIds: [], closedAt: new Date() }, content);
  return root;
}

/** Milliseconds of one proof, the middle of many for events spread over the day. */
async function time({ store, root, leaves }: { store: BatchStore; root: string; leaves: number }): Promise<number> {
  const times: number[] = [];
  for (let proof = 0; proof < PROOFS; proof += 1) {
    const chainIndex = (proof * 7_919) % leaves;
    const startedAt = performance.now();
    const found = await store.locate('shop', chainIndex);
    const siblings = found === null ? [] : await store.proof(found.batchId, found.leafIndex);
    times.push(performance.now() - startedAt);
    if (rootOfProof(toHash(hashOf(chainIndex)), siblings) !== root) throw new Error(`${chainIndex} is not proven`);
  }
  return median(times);
}
