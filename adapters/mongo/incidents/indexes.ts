import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { incidents: 'incidents' } as const;

export const INDEXES: IndexTable = {
  [COLLECTIONS.incidents]: [
    { key: { startedAt: -1, _id: -1 }, name: 'startedAt_id' },
    { key: { org: 1, startedAt: -1, _id: -1 }, name: 'org_startedAt_id' },
    // Of what is open: it is looked for by the clock.
    { key: { resolvedAt: 1, startedAt: -1, _id: -1 }, name: 'resolvedAt_startedAt_id' },
    { key: { monitorId: 1, startedAt: -1, _id: -1 }, name: 'monitorId_startedAt_id' },
  ],
};
