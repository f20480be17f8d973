import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { clients: 'clients' } as const;

/** `_id` is the client id. */
export const INDEXES: IndexTable = {
  [COLLECTIONS.clients]: [{ key: { orgSlug: 1, _id: 1 }, name: 'org_id' }],
};
