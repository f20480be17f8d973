import { DELIVERY_KEPT_SECONDS } from '../../../domain/git-hooks/delivery.ts';
import type { IndexTable } from '../ensure-indexes.ts';
import { type Expiry, ttlIndex } from '../expiry-sweep.ts';

export const COLLECTIONS = {
  connections: 'git_connections',
  deliveries: 'git_deliveries',
  heads: 'git_heads',
  removals: 'git_connection_removals',
} as const;

export const DELIVERY_EXPIRY: Expiry = { field: 'receivedAt', keptSeconds: DELIVERY_KEPT_SECONDS };

export const INDEXES: IndexTable = {
  [COLLECTIONS.connections]: [
    { key: { org: 1, repositoryKey: 1 }, name: 'org_repository', unique: true },
    { key: { org: 1, createdAt: -1, _id: -1 }, name: 'org_createdAt' },
    { key: { createdAt: -1, _id: -1 }, name: 'createdAt' },
  ],
  [COLLECTIONS.deliveries]: [
    { key: { connectionId: 1, receivedAt: -1, _id: -1 }, name: 'connection_receivedAt' },
    { key: { firstOf: 1 }, name: 'first_of_digest', unique: true, sparse: true },
    ttlIndex(DELIVERY_EXPIRY),
  ],
  [COLLECTIONS.removals]: [{ key: { askedAt: 1 }, name: 'askedAt' }],
  [COLLECTIONS.heads]: [{ key: { connectionId: 1 }, name: 'connection' }],
};
