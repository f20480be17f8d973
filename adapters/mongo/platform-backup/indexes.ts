import type { IndexTable } from '../ensure-indexes.ts';
import { AT_EXPIRY, ttlIndex } from '../expiry-sweep.ts';

export const COLLECTIONS = { platformBackups: 'platform_backups' } as const;

export const INDEXES: IndexTable = {
  [COLLECTIONS.platformBackups]: [
    { key: { startedAt: -1, _id: -1 }, name: 'startedAt' },
    { key: { status: 1, startedAt: 1 }, name: 'status_startedAt' },
    { key: { night: -1 }, name: 'night' },
    ttlIndex(AT_EXPIRY),
  ],
};
