import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { identities: 'git_identities' } as const;

export const INDEXES: IndexTable = {
  [COLLECTIONS.identities]: [
    { key: { userId: 1, hostKey: 1 }, name: 'userId_hostKey', unique: true },
    { key: { hostKey: 1, accountId: 1 }, name: 'hostKey_accountId', unique: true },
    { key: { hostKey: 1, loginKey: 1 }, name: 'hostKey_loginKey', unique: true },
  ],
};
