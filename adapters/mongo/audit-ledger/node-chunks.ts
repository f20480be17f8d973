import { levelOf, levelsOf, type MerkleTree } from '../../../domain/audit-ledger/merkle-tree.ts';

/**
 * How the nodes of a tree are stored: as subtrees of {@link CHUNK_LEVELS} levels, so that the path from a leaf to the
 * root runs through two or three documents of 64 KiB, however large the day. Levels are grouped from the leaves up; the
 * uppermost group has what is left. A chunk is named by the node at its top and holds its nodes level by level.
 */
export const CHUNK_LEVELS = 11;

const NODE = 32;

export interface NodeChunk {
  /** The topmost node of the chunk, by its place in the tree. */
  readonly top: number;
  readonly nodes: Uint8Array;
}

/** Where a node is stored. */
export interface NodePlace {
  readonly top: number;
  /** Counted in nodes. */
  readonly offset: number;
}

/** Finds a node in the chunks of a tree of that many leaves. */
export function placeOf(node: number, leafCount: number): NodePlace {
  const levels = levelsOf(leafCount);
  const level = levelOf(node);
  // Level at which the group of this level begins, counted from the leaves up.
  const group = Math.floor((levels - 1 - level) / CHUNK_LEVELS);
  const topLevel = Math.max(0, levels - (group + 1) * CHUNK_LEVELS);
  const depth = level - topLevel;
  // Numbered from 1, a node is its ancestor followed by one bit for each step down.
  const top = ((node + 1) >>> depth) - 1;
  return { top, offset: (1 << depth) - 1 + (node + 1 - ((top + 1) << depth)) };
}

/** Cuts a tree into its chunks. */
export function* chunksOf({ leafCount, nodes }: MerkleTree): Generator<NodeChunk> {
  const nodeCount = 2 * leafCount - 1;
  for (let top = 0; top < nodeCount; top += 1) {
    if (placeOf(top, leafCount).offset !== 0) continue;
    const parts: Uint8Array[] = [];
    for (let depth = 0; ; depth += 1) {
      const first = ((top + 1) << depth) - 1;
      if (first >= nodeCount || placeOf(first, leafCount).top !== top) break;
      parts.push(nodes.subarray(first * NODE, Math.min(first + (1 << depth), nodeCount) * NODE));
    }
    yield { top, nodes: Buffer.concat(parts) };
  }
}
