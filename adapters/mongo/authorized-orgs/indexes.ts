import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { history: 'authorized_orgs_history' } as const;

export const INDEXES: IndexTable = {
  [COLLECTIONS.history]: [
    { key: { serviceId: 1, at: -1, _id: -1 }, name: 'serviceId_at' },
    { key: { takenOut: 1 }, name: 'unfinished', sparse: true },
  ],
};
