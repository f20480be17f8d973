import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { buildTree } from '../../../adapters/merkle/build-tree.ts';
import type { Anchor, Batch } from '../../../domain/audit-ledger/batch.ts';
import type { Hash } from '../../../domain/audit-ledger/event.ts';
import { EMPTY_DAY_ROOT, leafOf, leafOfListed, rootOfProof } from '../../../domain/audit-ledger/merkle-proof.ts';
import { toHash } from '../../../domain/audit-ledger/merkle-tree.ts';
import type { BatchContent, BatchLeaf, BatchSegment, BatchStore } from '../../../domain/audit-ledger/ports.ts';

const count = (length: number) => Array.from({ length }, (_, index) => index);

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A batch of these namespaces, each with the chain indexes it has in it. */
export function batchOf(id: string, namespaces: Readonly<Record<string, readonly [first: number, count: number][]>>) {
  const segments: BatchSegment[] = [];
  const hashes: Buffer[] = [];
  const eventIds: string[] = [];
  const orgSlugs: string[] = [];
  for (const [namespace, runs] of Object.entries(namespaces)) {
    for (const [firstChainIndex, count] of runs) {
      segments.push({ namespace, firstChainIndex, firstLeafIndex: hashes.length, count });
      for (let index = firstChainIndex; index < firstChainIndex + count; index += 1) {
        hashes.push(hashOf(`${namespace} ${index}`));
        eventIds.push(`evt_${namespace}${index}`);
        orgSlugs.push(index % 3 === 0 ? 'other' : 'acme');
      }
    }
  }
  const eventHashes = Buffer.concat(hashes);
  const tree = buildTree(eventHashes);
  const batch: Omit<Batch, 'anchors'> = {
    id,
    root: toHash(tree.nodes.subarray(0, 32)),
    leafCount: hashes.length,
    chainIds: [31_337, 31_338],
    closedAt: new Date('2026-01-02T00:10:00Z'),
  };
  const content: BatchContent = { segments, eventHashes, eventIds, orgSlugs, tree };
  return { batch, content };
}

export const anchorOn = (chainId: number, txHash: Hash = `0x${'1'.repeat(64)}`): Anchor => ({
  chainId,
  contract: '0x00000000000000000000000000000000000000c0',
  txHash,
  blockNumber: 7,
  blockHash: `0x${'2'.repeat(64)}`,
  confirmedAt: new Date('2026-01-02T00:11:00Z'),
  explorerUrl: null,
});

async function collect(leaves: AsyncIterable<BatchLeaf>): Promise<BatchLeaf[]> {
  const list: BatchLeaf[] = [];
  for await (const leaf of leaves) list.push(leaf);
  return list;
}

/** What every {@link BatchStore} guarantees. `fresh` gives an empty one. */
export function batchStoreSuite(fresh: () => Promise<BatchStore>): void {
  describe('BatchStore', () => {
    it('gives back a batch with its leaves in order, each with its place in its chain', async () => {
      const store = await fresh();
      const { batch, content } = batchOf('2026-01-01', {
        alpha: [
          [0, 3],
          [5, 1],
        ],
        beta: [[7, 2]],
      });
      assert.equal(await store.insert(batch, content), true);
      assert.deepEqual(await store.find('2026-01-01'), { ...batch, anchors: [] });
      assert.equal(await store.find('2026-01-02'), null);
      const leaves = await collect(store.leaves('2026-01-01'));
      assert.deepEqual(
        leaves.map(({ leafIndex, namespace, chainIndex, eventId, orgSlug }) => [
          leafIndex,
          namespace,
          chainIndex,
          eventId,
          orgSlug,
        ]),
        [
          [0, 'alpha', 0, 'evt_alpha0', 'other'],
          [1, 'alpha', 1, 'evt_alpha1', 'acme'],
          [2, 'alpha', 2, 'evt_alpha2', 'acme'],
          [3, 'alpha', 5, 'evt_alpha5', 'acme'],
          [4, 'beta', 7, 'evt_beta7', 'acme'],
          [5, 'beta', 8, 'evt_beta8', 'acme'],
        ],
      );
      assert.equal(leaves[3]?.eventHash, toHash(hashOf('alpha 5')));
      assert.deepEqual(await collect(store.leaves('2026-01-02')), []);
    });

    it('finds the batch of an event and proves it, in small and in large days', async () => {
      const store = await fresh();
      for (const [day, count] of [
        ['2026-02-01', 1],
        ['2026-02-02', 2],
        ['2026-02-03', 1_025],
        ['2026-02-04', 5_000],
      ] as const) {
        const { batch, content } = batchOf(day, { [`ns${count}`]: [[0, count]] });
        await store.insert(batch, content);
        for (const index of new Set([0, 1, 1_023, 1_024, count - 1].filter((candidate) => candidate < count))) {
          const found = await store.locate(day, `ns${count}`, index);
          assert.deepEqual([found?.batch.id, found?.leafIndex], [day, index]);
          const proof = await store.proof(day, index);
          assert.equal(rootOfProof(toHash(hashOf(`ns${count} ${index}`)), proof), batch.root, `${day} ${index}`);
        }
        assert.equal(await store.locate(day, `ns${count}`, count), null);
      }
      assert.equal(await store.locate('2026-02-01', 'nobody', 0), null);
      await assert.rejects(store.proof('2026-02-01', 1), { code: 'BATCH_NOT_FOUND' });
      await assert.rejects(store.proof('1999-01-01', 0), { code: 'BATCH_NOT_FOUND' });
    });

    it('gives the leaf list in the order of the leaves, in days of any size', async () => {
      const store = await fresh();
      const sizes = [1, 2, 3, 1_024, 1_025, 2_049, 5_000];
      for (const [index, count] of sizes.entries()) {
        const day = `2026-02-${10 + index}`;
        const { batch, content } = batchOf(day, { [`ns${count}`]: [[0, count]] });
        await store.insert(batch, content);
        const leaves: Hash[] = [];
        for await (const hash of store.listed(day)) leaves.push(leafOfListed(hash));
        const expected = Array.from({ length: count }, (_, index) => leafOf(toHash(hashOf(`ns${count} ${index}`))));
        assert.deepEqual(leaves, expected.toSorted(), `${count} leaves`);
      }
      for await (const leaf of store.listed('1999-01-01')) assert.fail(leaf);
    });

    it('an event of a later batch between those of an earlier one is found where it is', async () => {
      const store = await fresh();
      const first = batchOf('2026-03-01', {
        alpha: [
          [0, 2],
          [4, 1],
        ],
      });
      const second = batchOf('2026-03-02', {
        alpha: [
          [2, 2],
          [5, 3],
        ],
      });
      await store.insert(first.batch, first.content);
      assert.equal(await store.locate('2026-03-02', 'alpha', 2), null, 'there is no batch yet');
      await store.insert(second.batch, second.content);
      const leafIn = async (day: string) =>
        Promise.all(count(8).map(async (index) => (await store.locate(day, 'alpha', index))?.leafIndex ?? null));
      assert.deepEqual(await leafIn('2026-03-01'), [0, 1, null, null, 2, null, null, null]);
      assert.deepEqual(await leafIn('2026-03-02'), [null, null, 0, 1, null, 2, 3, 4]);
    });

    it('of several writers one inserts the day, and it stays', async () => {
      const store = await fresh();
      const { batch, content } = batchOf('2026-04-01', { alpha: [[0, 40]] });
      const inserted = await Promise.all(Array.from({ length: 5 }, () => store.insert(batch, content)));
      assert.equal(inserted.filter(Boolean).length, 1);
      const other = batchOf('2026-04-01', { alpha: [[0, 41]] });
      assert.equal(await store.insert(other.batch, other.content), false);
      assert.equal((await store.find('2026-04-01'))?.root, batch.root);
      assert.equal((await collect(store.leaves('2026-04-01'))).length, 40);
      assert.equal(await store.locate('2026-04-01', 'alpha', 40), null, 'what lost is not found');
    });

    it('keeps the signatures of a batch and of its anchors', async () => {
      const store = await fresh();
      const { batch, content } = batchOf('2026-04-02', { alpha: [[0, 1]] });
      const signature = { keyId: 'one', signature: 'AAAA' };
      await store.insert({ ...batch, signature }, content);
      await store.putAnchor(batch.id, { ...anchorOn(1), signature });
      const expected = { ...batch, signature, anchors: [{ ...anchorOn(1), signature }] };
      assert.deepEqual(await store.find(batch.id), expected);
    });

    it('a batch that is replaced is gone with its anchors, and one that has changed since it was found stays', async () => {
      const store = await fresh();
      const { batch, content } = batchOf('2026-04-03', { alpha: [[0, 1]] });
      const signature = { keyId: 'one', signature: 'AAAA' };
      const next = batchOf('2026-04-03', { alpha: [[0, 2]] });
      for (const record of [batch, { ...batch, signature }]) {
        const before = await store.find(batch.id);
        if (before === null) await store.insert(record, content);
        else await store.replace(before, record, content);
        await store.putAnchor(batch.id, anchorOn(1));
        const found = (await store.find(batch.id)) ?? assert.fail('it was inserted');
        const others: Batch[] = [
          { ...found, root: EMPTY_DAY_ROOT },
          { ...found, leafCount: 0 },
          { ...found, chainIds: [] },
          { ...found, signature: { keyId: 'one', signature: 'BBBB' } },
        ];
        for (const other of others) await store.replace(other, next.batch, next.content);
        assert.deepEqual(await store.find(batch.id), found);
        for (let times = 0; times < 2; times += 1) await store.replace(found, next.batch, next.content);
        assert.deepEqual(await store.find(batch.id), { ...next.batch, anchors: [] });
        assert.equal((await collect(store.leaves(batch.id))).length, 2);
      }
      const empty = { ...batch, root: EMPTY_DAY_ROOT, leafCount: 0 };
      await store.replace({ ...next.batch, anchors: [] }, empty, null);
      assert.equal((await store.find(batch.id))?.root, EMPTY_DAY_ROOT);
      const absent = batchOf('2026-04-04', { alpha: [[0, 1]] });
      await store.replace({ ...absent.batch, anchors: [] }, absent.batch, absent.content);
      assert.equal(await store.find('2026-04-04'), null, 'what is not there is not replaced');
    });

    it('a day without leaves is a batch as well', async () => {
      const store = await fresh();
      const batch = { id: '2026-05-01', root: EMPTY_DAY_ROOT, leafCount: 0, chainIds: [], closedAt: new Date(0) };
      assert.equal(await store.insert(batch, null), true);
      assert.deepEqual(await store.find('2026-05-01'), { ...batch, anchors: [] });
      await assert.rejects(store.proof('2026-05-01', 0), { code: 'BATCH_NOT_FOUND' });
      for await (const leaf of store.listed('2026-05-01')) assert.fail(leaf);
    });

    it('keeps one anchor for each chain, the last that was put', async () => {
      const store = await fresh();
      const { batch, content } = batchOf('2026-06-01', { alpha: [[0, 1]] });
      await store.insert(batch, content);
      const anchors = [anchorOn(1), anchorOn(1, `0x${'3'.repeat(64)}`), anchorOn(2)];
      for (const anchor of anchors) await store.putAnchor('2026-06-01', anchor);
      assert.deepEqual((await store.find('2026-06-01'))?.anchors, [anchorOn(1, `0x${'3'.repeat(64)}`), anchorOn(2)]);
    });

    it('an anchor that is dropped is gone, and those of other chains stay', async () => {
      const store = await fresh();
      const { batch, content } = batchOf('2026-06-02', { alpha: [[0, 1]] });
      await store.insert(batch, content);
      for (const chainId of [1, 2]) await store.putAnchor('2026-06-02', anchorOn(chainId));
      for (let times = 0; times < 2; times += 1) await store.dropAnchor('2026-06-02', 1);
      assert.deepEqual((await store.find('2026-06-02'))?.anchors, [anchorOn(2)]);
    });

    it('lists days in order, page by page, and finds the one before', async () => {
      const store = await fresh();
      for (const day of ['2026-07-03', '2026-07-01', '2026-07-02', '2026-08-01']) {
        const { batch, content } = batchOf(day, { [day]: [[0, 1]] });
        await store.insert(batch, content);
      }
      const first = await store.list('2026-07-01', '2026-07-31', { cursor: null, limit: 2 });
      assert.deepEqual(
        first.items.map(({ id }) => id),
        ['2026-07-01', '2026-07-02'],
      );
      const rest = await store.list('2026-07-01', '2026-07-31', { cursor: first.nextCursor, limit: 2 });
      assert.deepEqual([rest.items.map(({ id }) => id), rest.nextCursor], [['2026-07-03'], null]);
      assert.equal((await store.latestBefore('2026-08-01'))?.id, '2026-07-03');
      assert.equal(await store.latestBefore('2026-07-01'), null);
    });
  });
}
