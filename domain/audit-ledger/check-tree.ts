import { FairleadError } from '../errors.ts';
import { rootOfProof } from './merkle-proof.ts';
import { type MerkleTree, siblingPath, toHash } from './merkle-tree.ts';

const HASH_BYTES = 32;
/** Leaves that are proven again: with a tree of a million, a few milliseconds. */
const SAMPLED = 64;

/**
 * Proves leaves of a tree again by the library, as a verifier does, before anybody relies on its root: the first, the last,
 * and others spread over all. Builders of trees are fast and our own; the library is neither.
 * @throws INTERNAL when a leaf does not lead to the root
 */
export function assertTreeProves({ leafCount, nodes, positions }: MerkleTree, eventHashes: Uint8Array): void {
  const node = (index: number) => toHash(nodes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES));
  const root = node(0);
  const isWhole = nodes.length === (2 * leafCount - 1) * HASH_BYTES && eventHashes.length === leafCount * HASH_BYTES;
  for (let sample = 0; sample < Math.min(SAMPLED, leafCount); sample += 1) {
    const leaf = leafCount <= SAMPLED ? sample : Math.round((sample * (leafCount - 1)) / (SAMPLED - 1));
    const eventHash = toHash(eventHashes.subarray(leaf * HASH_BYTES, (leaf + 1) * HASH_BYTES));
    const proof = siblingPath(positions[leaf] ?? 0).map(node);
    if (!isWhole || rootOfProof(eventHash, proof) !== root) {
      throw new FairleadError('INTERNAL', `leaf ${leaf} of the tree does not lead to its root: no root is stored`);
    }
  }
}
