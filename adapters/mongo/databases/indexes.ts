import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { databases: 'databases' } as const;

export const INDEXES: IndexTable = {
  [COLLECTIONS.databases]: [
    { key: { serviceId: 1 }, name: 'serviceId' },
    { key: { state: 1, 'login.issuedAt': 1, _id: 1 }, name: 'state_login.issuedAt' },
    { key: { state: 1, org: 1, _id: 1 }, name: 'state_org' },
    { key: { 'consumes.serviceId': 1 }, name: 'consumes.serviceId' },
  ],
};
