import type { Hash } from './event.ts';

/**
 * A Merkle tree as it is stored: a complete binary tree in an array, the root first, the children of node i at 2i + 1
 * and 2i + 2, the leaves last (the layout of OpenZeppelin's `StandardMerkleTree`).
 */
export interface MerkleTree {
  readonly leafCount: number;
  /** 2 × leafCount − 1 nodes of 32 bytes. */
  readonly nodes: Uint8Array;
  /** Where in the array the leaf of each event is, in the batch's own order. */
  readonly positions: Uint32Array;
}

/** Builds trees; as that is work of seconds for a full day, not on the event loop. */
export interface TreeBuilder {
  /** @param eventHashes 32 bytes each, one or more, in the batch's order. @throws the reason of the signal */
  build(eventHashes: Uint8Array, signal?: AbortSignal): Promise<MerkleTree>;
}

/** Nodes that a proof of the leaf at a position is made of, from the bottom up. */
export function siblingPath(position: number): readonly number[] {
  const path: number[] = [];
  for (let node = position; node > 0; node = (node - 1) >> 1) path.push(siblingOf(node));
  return path;
}

/** The other child of a node's parent; the root has none. */
export function siblingOf(node: number): number {
  return node % 2 === 1 ? node + 1 : node - 1;
}

/** Levels of a tree: 1 for a single leaf. */
export function levelsOf(leafCount: number): number {
  return levelOf(2 * leafCount - 2) + 1;
}

/** Level of a node: 0 for the root. */
export function levelOf(node: number): number {
  return 31 - Math.clz32(node + 1);
}

/** 32 bytes as EVM tools write them. */
export function toHash(bytes: Uint8Array): Hash {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** @throws RangeError for anything but `0x` and 64 hex digits. */
export function fromHash(hash: string): Uint8Array<ArrayBuffer> {
  if (!/^0x[0-9a-fA-F]{64}$/.test(hash)) throw new RangeError('not a hash of 32 bytes in hex');
  return Uint8Array.from({ length: 32 }, (_, index) => Number.parseInt(hash.slice(2 + 2 * index, 4 + 2 * index), 16));
}
