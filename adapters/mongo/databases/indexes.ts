import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { databases: 'databases' } as const;

export const INDEXES: IndexTable = {
  [COLLECTIONS.databases]: [
    { key: { serviceId: 1 }, name: 'serviceId' },
    { key: { 'consumes.serviceId': 1 }, name: 'consumes.serviceId' },
  ],
};
