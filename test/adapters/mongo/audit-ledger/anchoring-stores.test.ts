import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  ANCHORING_COLLECTIONS,
  createAnchoringIndexes,
} from '../../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createBatchStore } from '../../../../adapters/mongo/audit-ledger/batches.ts';
import { CHUNK_LEVELS, chunksOf, placeOf } from '../../../../adapters/mongo/audit-ledger/node-chunks.ts';
import { createPendingAnchorStore } from '../../../../adapters/mongo/audit-ledger/pending-anchors.ts';
import { anchorOn, batchOf, batchStoreSuite } from '../../../ports/audit-ledger/batch-store.ts';
import { pendingAnchorStoreSuite } from '../../../ports/audit-ledger/pending-anchor-store.ts';
import { startMongo, type TestMongo } from '../../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
});
after(() => mongo.stop());

async function emptyDatabase() {
  const { db } = mongo.connection;
  await db.dropDatabase();
  await createAnchoringIndexes(db);
  return { db };
}

batchStoreSuite(async () => createBatchStore(await emptyDatabase()));
pendingAnchorStoreSuite(async () => createPendingAnchorStore(await emptyDatabase()));

describe('batches in MongoDB', () => {
  it('events of a batch that was stored before its namespaces had documents of their own are found', async () => {
    const { db } = await emptyDatabase();
    const store = createBatchStore({ db });
    const first = batchOf('2026-01-01', {
      alpha: [
        [0, 2],
        [4, 1],
      ],
      beta: [[0, 3]],
    });
    const second = batchOf('2026-01-02', {
      alpha: [
        [2, 2],
        [5, 1],
      ],
    });
    for (const { batch, content } of [first, second]) await store.insert(batch, content);
    await db.collection(ANCHORING_COLLECTIONS.namespaces).deleteMany({});
    const leafOf = async (day: string, namespace: string, index: number) =>
      (await store.locate(day, namespace, index))?.leafIndex ?? null;
    assert.equal(await leafOf('2026-01-01', 'alpha', 4), 2);
    assert.equal(await leafOf('2026-01-01', 'beta', 1), 4);
    assert.equal(await leafOf('2026-01-02', 'alpha', 5), 2);
    assert.equal(await leafOf('2026-01-01', 'alpha', 5), null);
  });

  it('a record that is none counts as none: a batch of its day takes its place, and none in front of it is hidden', async () => {
    const { db } = await emptyDatabase();
    const store = createBatchStore({ db });
    const records = db.collection<{ _id: string }>(ANCHORING_COLLECTIONS.batches);
    const { batch, content } = batchOf('2026-01-01', { alpha: [[0, 3]] });
    await store.insert(batch, content);
    const next = batchOf('2026-01-02', { alpha: [[3, 1]] });
    for (const junk of [{}, { root: { of: 'else' } }, { ...next.batch, anchors: 'none' }]) {
      await records.insertMany([{ ...junk, _id: next.batch.id }, { _id: '2026-01-01~' }, { _id: '2026-01-99' }]);
      assert.equal(await store.find(next.batch.id), null);
      assert.equal((await store.latestBefore('2026-02-01'))?.id, batch.id);
      assert.deepEqual((await store.list(batch.id, '2026-02-01', { cursor: null, limit: 9 })).items.length, 1);
      const first = await store.list(batch.id, '2026-02-01', { cursor: null, limit: 2 });
      assert.ok(first.nextCursor, 'there may be more behind it');
      assert.equal(await store.insert(next.batch, next.content), true, Object.keys(junk).join());
      assert.deepEqual(await store.find(next.batch.id), { ...next.batch, anchors: [] });
      assert.equal((await store.latestBefore('2026-02-01'))?.id, next.batch.id);
      await records.deleteMany({ _id: { $ne: batch.id } });
    }
  });

  it('an anchor that is none counts as none, and the one of its chain takes its place', async () => {
    const { db } = await emptyDatabase();
    const store = createBatchStore({ db });
    const { batch, content } = batchOf('2026-01-01', { alpha: [[0, 3]] });
    await store.insert(batch, content);
    const junk = { $set: { anchors: [{ chainId: 1 }, 'else'] } };
    await db.collection<{ _id: string }>(ANCHORING_COLLECTIONS.batches).updateOne({ _id: batch.id }, junk);
    assert.deepEqual(await store.find(batch.id), { ...batch, anchors: [] });
    await store.putAnchor(batch.id, anchorOn(1));
    assert.deepEqual((await store.find(batch.id))?.anchors, [anchorOn(1)]);
  });

  it('the leaf list of a batch that was stored before lists were is made when it is first asked for', async () => {
    const { db } = await emptyDatabase();
    const store = createBatchStore({ db });
    const { batch, content } = batchOf('2026-01-01', { alpha: [[0, 5_000]] });
    await store.insert(batch, content);
    const listed = async () => {
      const hashes: string[] = [];
      for await (const hash of store.listed(batch.id)) hashes.push(hash);
      return hashes;
    };
    const before = await listed();
    assert.equal(before.length, 5_000);
    const nodes = db.collection<{ _id: string }>(ANCHORING_COLLECTIONS.nodes);
    const { deletedCount } = await nodes.deleteMany({ _id: /\/list\// });
    assert.equal(deletedCount, 3);
    const readers = await Promise.all(Array.from({ length: 4 }, listed));
    for (const list of readers) assert.deepEqual(list, before);
    assert.equal(await nodes.countDocuments({ _id: /\/list\// }), 3);
  });
});

describe('chunks of a tree', () => {
  it('every node of a tree of any size is in one chunk, at its place', () => {
    for (const leafCount of [1, 2, 3, 5, 1_023, 1_024, 1_025, 3_000]) {
      const nodeCount = 2 * leafCount - 1;
      const nodes = new Uint8Array(nodeCount * 32);
      const view = new DataView(nodes.buffer);
      for (let node = 0; node < nodeCount; node += 1) view.setUint32(node * 32, node);
      const chunks = new Map(
        [...chunksOf({ leafCount, nodes, positions: new Uint32Array() })].map((chunk) => [chunk.top, chunk.nodes]),
      );
      const stored = [...chunks.values()].reduce((sum, chunk) => sum + chunk.length, 0);
      assert.equal(stored, nodes.length, `${leafCount} leaves`);
      for (let node = 0; node < nodeCount; node += 1) {
        const { top, offset } = placeOf(node, leafCount);
        const chunk = chunks.get(top);
        assert.ok(chunk);
        assert.equal(new DataView(chunk.buffer, chunk.byteOffset).getUint32(offset * 32), node);
      }
    }
  });

  it('no chunk is larger than 64 KiB, and a path crosses few of them', () => {
    const leafCount = 864_000;
    const tops = new Set<number>();
    for (let node = 2 * leafCount - 2; node > 0; node = (node - 1) >> 1) tops.add(placeOf(node, leafCount).top);
    assert.equal(tops.size, 2);
    assert.ok(2 ** CHUNK_LEVELS * 32 <= 65_536);
  });
});
