import { BSON, ObjectId } from 'mongodb';
import { rollUpShard } from '../../activities/monitors/roll-up.ts';
import { connectMongo } from '../../adapters/mongo/connect.ts';
import { createMonitorIndexes } from '../../adapters/mongo/monitor-database.ts';
import { COLLECTIONS } from '../../adapters/mongo/monitors/indexes.ts';
import { createMonitorStore } from '../../adapters/mongo/monitors/monitors.ts';
import { createResultStore } from '../../adapters/mongo/monitors/results.ts';
import { createRollUpStore } from '../../adapters/mongo/monitors/roll-ups.ts';
import { SHARDS } from '../../domain/monitors/monitor.ts';
import { monitorRecord, resultOf } from '../support/monitor-records.ts';
import { startMongo } from '../support/start-mongo.ts';

/**
 * Bytes that an hour of checks takes once it is packed, with its roll-ups of 5 minutes and of the hour, over one document a
 * check; in BSON, before whatever a database compresses.
 */
export const needsStack = false;

const MONITORS = 50;
const EVERY_MS = 30_000;
const HOUR = Date.parse('2026-11-01T10:00:00Z');
const HOUR_MS = 3_600_000;

const mongo = await startMongo();
const { db, close } = await connectMongo(mongo.uriOf('storage'), 'bench');
await createMonitorIndexes(db);
const [monitors, results, rollUps] = [createMonitorStore({ db }), createResultStore({ db }), createRollUpStore({ db })];
const numbers = Array.from({ length: MONITORS }, (_, index) => SHARDS * (index + 1));
// Ids as they are given.
const idOf = (number: number): string => `mon_${String(number).padStart(20, '0')}`;
for (const number of numbers) await monitors.insert(monitorRecord(number, { id: idOf(number), intervalSeconds: 30 }));

const fence = await results.claim(0);
let plainBytes = 0;
let checks = 0;
for (let at = HOUR; at < HOUR + HOUR_MS; at += EVERY_MS) {
  const found = numbers.map((number) => ({
    ...resultOf(idOf(number), at + number),
    number,
    durationMs: 20 + (number % 90),
  }));
  checks += found.length;
  for (const { monitorId, outcome, durationMs, status, at: time } of found) {
    plainBytes += BSON.calculateObjectSize({
      _id: new ObjectId(),
      monitorId,
      at: new Date(time),
      outcome,
      durationMs,
      status,
    });
  }
  await results.append({
    shard: 0,
    fence,
    results: found.map(({ monitorId: _id, message: _message, ...result }) => result),
  });
}
const now = () => new Date(HOUR + 2 * HOUR_MS);
await rollUpShard({ monitors, results, rollUps, now, daysMade: new Map() }, 0, new AbortController().signal);

async function bytesOf(collection: string): Promise<number> {
  let bytes = 0;
  for await (const document of db.collection(collection).find()) bytes += BSON.calculateObjectSize(document);
  return bytes;
}

const packed = await bytesOf(COLLECTIONS.hours);
const rolledUp = await bytesOf(COLLECTIONS.rollUps);
const loose = await bytesOf(COLLECTIONS.minutes);
if (loose > 0) throw new Error('results were left unpacked');
const per = (bytes: number): string => (bytes / checks).toFixed(1);
console.log(
  `${checks} checks; bytes a check: ${per(packed)} results, ${per(rolledUp)} roll-ups, ${per(plainBytes)} as documents`,
);
console.log(`monitor-storage: ${((packed + rolledUp) / plainBytes).toFixed(3)}`);
await close();
await mongo.stop();
