import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import {
  handleOfItem,
  type ItemPlace,
  type LockerItem,
  type LockerOwner,
  MAX_ITEMS,
} from '../../../domain/locker/item.ts';
import type { LockerStore } from '../../../domain/locker/ports.ts';
import { keepRecord } from './keep-record.ts';
import { byText, pageOf } from './page-of.ts';

const text = z.string().max(100);

const BY_PLACE = {
  cursor: z.tuple([text, text]),
  keyOf: ({ vault, name }: LockerItem) => [vault, name] as [string, string],
  compare: (a: readonly [string, string], b: readonly [string, string]) =>
    byText([a[0]], [b[0]]) || byText([a[1]], [b[1]]),
};

const BY_ID = { cursor: z.tuple([text]), keyOf: ({ id }: LockerItem) => [id] as [string], compare: byText };

const isOf = (owner: LockerOwner) => (item: LockerItem) => isDeepStrictEqual(item.owner, owner);

/** Items of the locker in this process. */
export function createInMemoryLockerStore(maxItems = MAX_ITEMS): LockerStore {
  const items = new Map<string, LockerItem>();
  const find = ({ owner, vault, name }: ItemPlace) =>
    [...items.values()].filter(isOf(owner)).find((item) => item.vault === vault && item.name === name) ?? null;
  const findByAlias = (owner: LockerOwner, alias: string) =>
    [...items.values()].filter(isOf(owner)).find(({ legacyAlias }) => legacyAlias === alias) ?? null;
  const refuseAlias = ({ id, owner, legacyAlias }: LockerItem): void => {
    const other = legacyAlias === null ? null : findByAlias(owner, legacyAlias);
    if (other === null || other.id === id) return;
    throw new FairleadError('VALIDATION_FAILED', `legacyAlias: is the one of ${handleOfItem(other)} already`);
  };
  return {
    find: async (place) => find(place),
    findByAlias: async (org, alias) => findByAlias({ kind: 'org', id: org }, alias),
    list: async ({ owner, vault }, page) =>
      pageOf(
        [...items.values()].filter(isOf(owner)).filter((item) => vault === null || item.vault === vault),
        page,
        BY_PLACE,
      ),
    async vaults(owner) {
      const groups = Map.groupBy([...items.values()].filter(isOf(owner)), ({ vault }) => vault);
      return [...groups]
        .map(([name, { length }]) => ({ name, items: length }))
        .sort((a, b) => byText([a.name], [b.name]));
    },
    async insert(item) {
      if ([...items.values()].filter(isOf(item.owner)).length >= maxItems)
        throw new FairleadError('LOCKER_FULL', 'full');
      if (find(item) !== null) throw conflict();
      refuseAlias(item);
      items.set(item.id, keepRecord(item));
    },
    async replace(item) {
      if (items.get(item.id)?.revision !== item.revision - 1) throw conflict();
      refuseAlias(item);
      items.set(item.id, keepRecord(item));
    },
    remove: async (id) => items.delete(id),
    listAll: async (page) => pageOf(items.values(), page, BY_ID),
    async replaceValue(id, field, { from, to }) {
      const item = items.get(id);
      const stored = item?.fields.find(({ name }) => name === field);
      if (item === undefined || !isDeepStrictEqual(stored?.value, from)) return false;
      const fields = item.fields.map((each) => (each.name === field ? { ...each, value: to } : each));
      items.set(id, keepRecord({ ...item, fields }));
      return true;
    },
  };
}

function conflict(): FairleadError {
  return new FairleadError('CONFLICT', 'Another request is changing the item', { retryable: true });
}
