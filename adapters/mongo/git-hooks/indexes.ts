import { DELIVERY_KEPT_SECONDS, DIGEST_KEPT_SECONDS } from '../../../domain/git-hooks/delivery.ts';
import type { IndexTable } from '../ensure-indexes.ts';
import { type Expiry, ttlIndex } from '../expiry-sweep.ts';

export const COLLECTIONS = {
  connections: 'git_connections',
  deliveries: 'git_deliveries',
  digests: 'git_delivery_digests',
  heads: 'git_heads',
} as const;

export const DELIVERY_EXPIRY: Expiry = { field: 'receivedAt', keptSeconds: DELIVERY_KEPT_SECONDS };
export const DIGEST_EXPIRY: Expiry = { field: 'seenAt', keptSeconds: DIGEST_KEPT_SECONDS };

export const INDEXES: IndexTable = {
  [COLLECTIONS.connections]: [
    { key: { org: 1, repositoryKey: 1 }, name: 'org_repository', unique: true },
    { key: { org: 1, createdAt: -1, _id: -1 }, name: 'org_createdAt' },
    { key: { createdAt: -1, _id: -1 }, name: 'createdAt' },
  ],
  [COLLECTIONS.deliveries]: [
    { key: { connectionId: 1, receivedAt: -1, _id: -1 }, name: 'connection_receivedAt' },
    ttlIndex(DELIVERY_EXPIRY),
  ],
  [COLLECTIONS.digests]: [{ key: { connectionId: 1 }, name: 'connection' }, ttlIndex(DIGEST_EXPIRY)],
  [COLLECTIONS.heads]: [{ key: { connectionId: 1 }, name: 'connection' }],
};
