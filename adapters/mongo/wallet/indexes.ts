import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { accounts: 'wallet_accounts', entries: 'wallet_entries' } as const;

/** `_id` of an account is the org's slug, of an entry `<slug>/<sequence>`: one account an org, one entry a number. */
export const INDEXES: IndexTable = {
  [COLLECTIONS.entries]: [
    { key: { org: 1, sequence: -1 }, name: 'org_newest' },
    { key: { org: 1, idempotencyKey: 1 }, name: 'org_idempotency_key', unique: true },
  ],
};
