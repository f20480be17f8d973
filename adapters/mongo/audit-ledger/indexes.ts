import type { Db } from 'mongodb';
import { ensureIndexes, type IndexTable } from '../ensure-indexes.ts';

/** Names of the collections of the ledger's chains. */
export const LEDGER_COLLECTIONS = {
  events: 'audit_ledger_events',
  checkpoints: 'audit_ledger_checkpoints',
  emitCounts: 'audit_ledger_emit_counts',
  /** Stored under its first name. */
  leases: 'audit_ledger_turns',
  namespaces: 'audit_ledger_namespaces',
} as const;

/** Every index of the chains. `_id` carries the ids, and those of events made under an idempotency key. */
const INDEXES: IndexTable = {
  [LEDGER_COLLECTIONS.events]: [
    // The one index that correctness rests on: two events at one place of a chain cannot be stored.
    { key: { namespace: 1, chainIndex: 1 }, name: 'namespace_chainIndex', unique: true },
    { key: { namespace: 1, createdAt: 1, chainIndex: 1 }, name: 'namespace_createdAt' },
    { key: { entityId: 1, namespace: 1, chainIndex: 1 }, name: 'entity_chain' },
    { key: { orgSlug: 1, createdAt: -1, chainIndex: -1, _id: -1 }, name: 'org_newest' },
    { key: { createdAt: -1, chainIndex: -1, _id: -1 }, name: 'newest' },
  ],
  [LEDGER_COLLECTIONS.checkpoints]: [{ key: { namespace: 1, time: 1 }, name: 'namespace_time', unique: true }],
  [LEDGER_COLLECTIONS.emitCounts]: [{ key: { endsAt: 1 }, name: 'ttl', expireAfterSeconds: 3_600 }],
};

/** The indexes of the ledger's chains. @throws UNAVAILABLE */
export async function createLedgerIndexes(db: Db): Promise<void> {
  await ensureIndexes(db, INDEXES);
}
