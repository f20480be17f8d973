import type { Db } from 'mongodb';
import { ensureIndexes, type IndexTable } from '../ensure-indexes.ts';

/** Collections of the ledger's database that hold the days' batches and their anchoring. */
export const ANCHORING_COLLECTIONS = {
  batches: 'batches',
  segments: 'batch_segments',
  namespaces: 'batch_namespaces',
  leaves: 'batch_leaves',
  nodes: 'batch_nodes',
  pending: 'pending_anchors',
} as const;

const INDEXES: IndexTable = {
  [ANCHORING_COLLECTIONS.segments]: [
    { key: { namespace: 1, firstChainIndex: -1 }, name: 'namespace_index' },
    { key: { root: 1, firstLeafIndex: 1 }, name: 'root_leaf' },
  ],
  [ANCHORING_COLLECTIONS.leaves]: [{ key: { root: 1, firstLeafIndex: 1 }, name: 'root_leaf', unique: true }],
  [ANCHORING_COLLECTIONS.pending]: [{ key: { chainId: 1, from: 1, nonce: 1 }, name: 'chain_nonce' }],
};

/** The indexes of batches and their anchoring. @throws UNAVAILABLE */
export async function createAnchoringIndexes(db: Db): Promise<void> {
  await ensureIndexes(db, INDEXES);
}
