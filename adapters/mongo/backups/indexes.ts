import type { IndexTable } from '../ensure-indexes.ts';
import { AT_EXPIRY, ttlIndex } from '../expiry-sweep.ts';

export const COLLECTIONS = { backups: 'backups', restores: 'restores' } as const;

export const INDEXES: IndexTable = {
  [COLLECTIONS.backups]: [
    { key: { startedAt: -1, _id: -1 }, name: 'startedAt' },
    { key: { serviceId: 1, startedAt: -1, _id: -1 }, name: 'service_startedAt' },
    { key: { engine: 1, databaseName: 1, startedAt: -1, _id: -1 }, name: 'database_startedAt' },
    { key: { status: 1, startedAt: -1, _id: -1 }, name: 'status_startedAt' },
    { key: { night: -1, startedAt: -1, _id: -1 }, name: 'night_startedAt' },
    ttlIndex(AT_EXPIRY),
  ],
  [COLLECTIONS.restores]: [
    { key: { serviceId: 1, startedAt: -1, _id: -1 }, name: 'service_startedAt' },
    { key: { status: 1, startedAt: -1, _id: -1 }, name: 'status_startedAt' },
    ttlIndex(AT_EXPIRY),
  ],
};
