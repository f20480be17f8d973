import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { items: 'locker_items' } as const;

/** `owner` is the kind and the id of the owner, as in `org:acme`. */
export const INDEXES: IndexTable = {
  [COLLECTIONS.items]: [
    { key: { owner: 1, vault: 1, name: 1 }, name: 'owner_vault_name', unique: true },
    { key: { owner: 1, slot: 1 }, name: 'owner_slot', unique: true },
    { key: { owner: 1, aliasKey: 1 }, name: 'owner_aliasKey', unique: true },
  ],
};
