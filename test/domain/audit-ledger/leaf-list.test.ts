import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import { createRootBuilder } from '../../../domain/audit-ledger/leaf-list.ts';
import { EMPTY_DAY_ROOT, leafOf, listedHash } from '../../../domain/audit-ledger/merkle-proof.ts';
import { toHash } from '../../../domain/audit-ledger/merkle-tree.ts';

const hashesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => toHash(createHash('sha256').update(`event ${index}`).digest()));
const listOf = (count: number) =>
  hashesOf(count)
    .toSorted((one, other) => (leafOf(one) < leafOf(other) ? -1 : 1))
    .map(listedHash);

describe('the root of a leaf list', () => {
  it('is that of the library for lists of any size, in memory of their logarithm', () => {
    const large = 1_500;
    for (const count of [...Array.from({ length: 33 }, (_, index) => index + 1), 255, 256, 257, large]) {
      const builder = createRootBuilder(count);
      let most = 0;
      for (const leaf of listOf(count)) {
        assert.equal(builder.root(), null);
        builder.add(leaf);
        most = Math.max(most, builder.kept());
      }
      const tree = StandardMerkleTree.of(
        hashesOf(count).map((hash) => [hash]),
        ['bytes32'],
      );
      assert.equal(builder.root(), tree.root, `${count} leaves`);
      assert.ok(most <= 2 * Math.ceil(Math.log2(count + 1)), `${most} nodes kept for ${count} leaves`);
    }
  });

  it('of a day without events is known', () => {
    assert.equal(createRootBuilder(0).root(), EMPTY_DAY_ROOT);
  });

  it('is refused for a leaf too many, a leaf twice, and leaves in another order', () => {
    const [a, b, c] = listOf(3);
    assert.ok(a && b && c);
    const add = (count: number, ...leaves: (typeof a)[]) => {
      const builder = createRootBuilder(count);
      for (const leaf of leaves) builder.add(leaf);
    };
    assert.throws(() => add(2, a, b, c), /more leaves than 2/);
    assert.throws(() => add(3, a, a), /not in ascending order/);
    assert.throws(() => add(3, b, a), /not in ascending order/);
    assert.throws(() => add(0, a), /more leaves than 0/);
  });
});
