import { type IndexTable, unique } from '../ensure-indexes.ts';

export const COLLECTIONS = { services: 'services' } as const;

export const INDEXES: IndexTable = {
  [COLLECTIONS.services]: [
    unique({ name: 1 }, 'name'),
    { key: { org: 1, name: 1 }, name: 'org_name' },
    { key: { authorizedOrgs: 1, name: 1 }, name: 'authorizedOrgs_name' },
  ],
};
