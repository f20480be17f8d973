import { keccak_256 } from '@noble/hashes/sha3.js';
import { EMPTY_DAY_PREIMAGE } from './batch.ts';
import type { Hash } from './event.ts';
import { fromHash, toHash } from './merkle-tree.ts';

/** Leaf of an event: keccak256(keccak256(abi.encode(bytes32 eventHash))) (spec 3, "Anchoring"). */
export function leafOf(eventHash: Hash): Hash {
  return leafOfListed(listedHash(eventHash));
}

/** How an event stands in the leaf list of its day: its hash, hashed once; see `leaf-list.ts`. */
export function listedHash(eventHash: Hash): Hash {
  return toHash(keccak_256(fromHash(eventHash)));
}

export function leafOfListed(listed: Hash): Hash {
  return toHash(keccak_256(fromHash(listed)));
}

/** The root that a proof leads to from an event: it proves the event when a contract holds that root. */
export function rootOfProof(eventHash: Hash, proof: readonly Hash[]): Hash {
  return proof.reduce((node, sibling) => pairHash(node, sibling), leafOf(eventHash));
}

/** keccak256 of the two in ascending order. */
export function pairHash(left: Hash, right: Hash): Hash {
  // Hex digits of one case and length sort as the numbers they write.
  const [first, second] = left.toLowerCase() <= right.toLowerCase() ? [left, right] : [right, left];
  const bytes = new Uint8Array(64);
  bytes.set(fromHash(first), 0);
  bytes.set(fromHash(second), 32);
  return toHash(keccak_256(bytes));
}

/** Root of a day before the first event of the ledger. No proof leads to it. */
export const EMPTY_DAY_ROOT: Hash = toHash(keccak_256(new TextEncoder().encode(EMPTY_DAY_PREIMAGE)));
