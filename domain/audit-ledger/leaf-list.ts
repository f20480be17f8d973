import { keccak_256 } from '@noble/hashes/sha3.js';
import { z } from 'zod';
import { daySchema } from './anchoring-schema.ts';
import type { Hash } from './event.ts';
import { EMPTY_DAY_ROOT, leafOfListed } from './merkle-proof.ts';
import { fromHash, siblingOf, toHash } from './merkle-tree.ts';
import { hashSchema } from './schema.ts';

/**
 * The leaf list of a day, which anybody may read: one JSON value a line. The first line is the head, each other one stands for
 * a leaf of the day's tree, in the ascending order of the leaves, which is that of the tree. It is the keccak256 of an event's
 * hash, and the keccak256 of it is the leaf: no inner node, which is the keccak256 of 64 bytes, can be passed off as a leaf
 * to hide those below it. The list tells how many events the day has, and not whose, of which namespaces, or in which order
 * they came. Whoever has an event's hash, such as from a receipt, sees whether the event is in it.
 */
export const leafListHeadSchema = z.strictObject({
  batchId: daySchema,
  root: hashSchema,
  /** Lines that follow. */
  leafCount: z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
});

export type LeafListHead = z.infer<typeof leafListHeadSchema>;

export const LEAF_LIST_TYPE = 'application/x-ndjson';

/**
 * Computes the root of a day's tree while its leaves go by, in memory that grows with the logarithm of their number. Sorted
 * leaves fill the tree from its last node to its middle, so that two siblings come close after each other, and a node
 * is kept until its sibling comes.
 */
export function createRootBuilder(leafCount: number) {
  const waiting = new Map<number, Uint8Array>();
  let place = 2 * leafCount - 2;
  let before: Hash | null = null;
  let root: Hash | null = leafCount === 0 ? EMPTY_DAY_ROOT : null;

  return {
    /** @throws RangeError for a leaf too many, or one that is not greater than the one before */
    add(listed: Hash): void {
      const leaf = leafOfListed(listed);
      if (place < leafCount - 1) throw new RangeError(`there are more leaves than ${leafCount}`);
      if (before !== null && leaf <= before) throw new RangeError('the leaves are not in ascending order');
      before = leaf;
      let node = place;
      place -= 1;
      let hash = fromHash(leaf);
      while (node > 0) {
        const sibling = waiting.get(siblingOf(node));
        if (sibling === undefined) {
          waiting.set(node, hash);
          return;
        }
        waiting.delete(siblingOf(node));
        hash = hashOfPair(hash, sibling);
        node = (node - 1) >> 1;
      }
      root = toHash(hash);
    },
    /** Null while leaves are missing. */
    root: (): Hash | null => root,
    /** Nodes that are kept. */
    kept: (): number => waiting.size,
  };
}

/** keccak256 of the two in ascending order. */
function hashOfPair(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  const isAscending = Buffer.compare(left, right) <= 0;
  return new Uint8Array(keccak_256(Buffer.concat(isAscending ? [left, right] : [right, left])));
}
