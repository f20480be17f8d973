import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db } from 'mongodb';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

let mongo: TestMongo;
let db: Db;
before(async () => {
  mongo = await startMongo();
  db = mongo.connection.db;
});
after(() => mongo.stop());

const ATTEMPTS = 40;
const attempts = <T>(work: (attempt: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> =>
  Promise.allSettled(Array.from({ length: ATTEMPTS }, (_, attempt) => work(attempt)));

test('of many inserts at once under one unique key exactly one is kept, and the others are told', async () => {
  const collection = db.collection('places');
  await collection.createIndex({ chain: 1, place: 1 }, { unique: true });
  for (let place = 0; place < 10; place += 1) {
    const results = await attempts((attempt) => collection.insertOne({ chain: 'a', place, attempt }));
    const refused = results.filter((result) => result.status === 'rejected');
    assert.equal(refused.length, ATTEMPTS - 1);
    for (const { reason } of refused) assert.equal(reason.code, 11_000);
    assert.equal(await collection.countDocuments({ chain: 'a', place }), 1);
  }
});

test('an ordered insert of many ends at the first that is refused', async () => {
  const collection = db.collection<{ _id: string; n: number }>('ordered');
  await collection.createIndex({ n: 1 }, { unique: true });
  await collection.insertOne({ _id: 'there', n: 3 });
  const many = [1, 2, 3, 4].map((n) => ({ _id: `n${n}`, n }));
  await assert.rejects(collection.insertMany(many, { ordered: true }), { code: 11_000 });
  const kept = await collection.find({}, { sort: { n: 1 } }).toArray();
  assert.deepEqual(
    kept.map(({ _id }) => _id),
    ['n1', 'n2', 'there'],
  );
});

test('1, 1.0 and the 64-bit 1 are one key; a missing field and null are one key', async () => {
  const collection = db.collection('alike');
  await collection.createIndex({ key: 1 }, { unique: true });
  const { Double, Long } = await import('mongodb');
  await collection.insertOne({ key: 1 });
  await assert.rejects(collection.insertOne({ key: new Double(1) }), { code: 11_000 });
  await assert.rejects(collection.insertOne({ key: Long.fromNumber(1) }), { code: 11_000 });
  await collection.insertOne({ key: '1' });
  await collection.insertOne({});
  await assert.rejects(collection.insertOne({ key: null }), { code: 11_000 });
  for (const key of [new Date(1), true, { a: 1 }, Buffer.from('1')]) {
    await collection.insertOne({ key });
    await assert.rejects(collection.insertOne({ key }), { code: 11_000 });
  }
});

test('counters that many increment at once lose none, and what each is answered is its own', async () => {
  const collection = db.collection<{ _id: string; n: number }>('counters');
  await collection.insertOne({ _id: 'one', n: 0 });
  const results = await attempts(() =>
    collection.findOneAndUpdate({ _id: 'one' }, { $inc: { n: 1 } }, { returnDocument: 'after' }),
  );
  const answers = results.map((result) => (result.status === 'fulfilled' ? result.value?.n : result.reason));
  assert.deepEqual(
    answers.toSorted((a, b) => a - b),
    Array.from({ length: ATTEMPTS }, (_, index) => index + 1),
  );
});
