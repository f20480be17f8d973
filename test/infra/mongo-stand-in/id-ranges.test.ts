import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Collection, Filter } from 'mongodb';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

interface Numbered {
  readonly _id: string | number | Date;
  readonly n: number;
}

const IDS = ['', 'a', 'a/1', 'a/2', 'a0', 'b', 'b/\u00e9', '\uffff', 7, 8.5, new Date(1)];
const STRINGS = IDS.filter((id) => typeof id === 'string');

let mongo: TestMongo;
let collection: Collection<Numbered>;
before(async () => {
  mongo = await startMongo();
  collection = mongo.connection.db.collection<Numbered>('numbered');
  await collection.insertMany(IDS.map((_id, n) => ({ _id, n })));
});
after(() => mongo.stop());

const found = async (filter: Filter<Numbered>, limit = 0): Promise<readonly unknown[]> =>
  (await collection.find(filter, { sort: { _id: 1 }, limit }).toArray()).map(({ _id }) => _id);

test('a range of ids finds what lies in it, and nothing of another type', async () => {
  const sorted = STRINGS.toSorted();
  for (const low of STRINGS) {
    for (const high of STRINGS) {
      const between = (id: string): boolean => id >= low && id < high;
      assert.deepEqual(await found({ _id: { $gte: low, $lt: high } }), sorted.filter(between));
      const after = (id: string): boolean => id > low && id <= high;
      assert.deepEqual(await found({ _id: { $gt: low, $lte: high } }), sorted.filter(after));
    }
    assert.deepEqual(
      await found({ _id: { $gt: low } }),
      sorted.filter((id) => id > low),
    );
    assert.deepEqual(
      await found({ _id: { $lte: low } }),
      sorted.filter((id) => id <= low),
    );
  }
});

test('a page of ids begins behind the one before it, in order, whatever else is asked for', async () => {
  assert.deepEqual(await found({ _id: { $gt: 'a' } }, 2), ['a/1', 'a/2']);
  assert.deepEqual(await found({ _id: { $gt: 'a' }, n: { $gt: 3 } }, 2), ['a0', 'b']);
  assert.deepEqual(await found({ _id: { $gte: 7, $lt: 9 } }), [7, 8.5]);
  assert.deepEqual(await found({ _id: { $not: { $gt: 'a' }, $type: 'string' } }), ['', 'a']);
  assert.deepEqual(await found({}), [7, 8.5, ...STRINGS.toSorted(), new Date(1)]);
});

test('one id is found also where the query says more of it', async () => {
  for (const [n, id] of IDS.entries()) {
    assert.deepEqual(await found({ _id: id, n }), [id]);
    assert.deepEqual(await found({ _id: { $eq: id }, n: { $ne: n } } as Filter<Numbered>), []);
  }
  assert.deepEqual(await found({ _id: 'not there', n: 1 }), []);
  assert.deepEqual(await found({ $or: [{ _id: 'a' }, { _id: 'b' }], n: { $gt: 0 } }), ['a', 'b']);
});

test('what is changed by a range of ids is what lies in it', async () => {
  const changed = await collection.updateMany({ _id: { $gte: 'a', $lt: 'b' } }, { $inc: { n: 100 } });
  assert.equal(changed.modifiedCount, 4);
  assert.equal(await collection.countDocuments({ n: { $gte: 100 } }), 4);
  const deleted = await collection.deleteMany({ _id: { $gt: 'a', $lte: 'a/2' } });
  assert.equal(deleted.deletedCount, 2);
  assert.equal(await collection.countDocuments({ _id: { $gte: 'a', $lt: 'a0' } }), 1);
});
