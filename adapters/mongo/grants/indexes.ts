import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { grants: 'scope_grants' } as const;

export const INDEXES: IndexTable = {
  [COLLECTIONS.grants]: [
    {
      key: { 'holder.serviceId': 1, environment: 1, 'target.serviceId': 1 },
      name: 'holder_environment_target',
      unique: true,
    },
    { key: { 'target.serviceId': 1 }, name: 'target' },
    { key: { 'holder.org': 1, requestedAt: -1, _id: -1 }, name: 'holderOrg_requestedAt' },
    { key: { 'target.org': 1, requestedAt: -1, _id: -1 }, name: 'targetOrg_requestedAt' },
  ],
};
