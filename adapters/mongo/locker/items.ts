import type { Collection, Db, Filter } from 'mongodb';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { handleOfItem, type LockerItem, type LockerOwner, MAX_ITEMS } from '../../../domain/locker/item.ts';
import type { LockerStore, LockerVault } from '../../../domain/locker/ports.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { pageById } from '../page-by-id.ts';
import { COLLECTIONS } from './indexes.ts';
import { type ItemDocument, itemFields, ownerKey, readItem } from './item-document.ts';

type Items = Collection<ItemDocument>;

const vaultAndName = z.tuple([z.string().max(100), z.string().max(100)]);

export interface LockerStoreOptions {
  readonly db: Db;
  /** Of one owner. */
  readonly maxItems?: number;
}

/** Items of the locker in MongoDB: one document each. */
export function createLockerStore({ db, maxItems = MAX_ITEMS }: LockerStoreOptions): LockerStore {
  const collection = db.collection<ItemDocument>(COLLECTIONS.items);
  const findOne = async (filter: Filter<ItemDocument>): Promise<LockerItem | null> => {
    const document = await mongoCall(() => collection.findOne(filter));
    return document === null ? null : readItem(document);
  };
  return {
    find: ({ owner, vault, name }) => findOne({ owner: ownerKey(owner), vault, name }),
    findByAlias: (org, alias) => findOne({ owner: ownerKey({ kind: 'org', id: org }), aliasKey: alias }),
    async list({ owner, vault }, { cursor, limit }) {
      const after = decodeCursor(cursor, vaultAndName);
      const filter = { owner: ownerKey(owner), ...(vault === null ? {} : { vault }), ...afterPlace(after) };
      const documents = await mongoCall(() =>
        collection
          .find(filter as Filter<ItemDocument>)
          .sort({ vault: 1, name: 1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readItem), limit, ({ vault, name }) => [vault, name]);
    },
    vaults: (owner) => vaultsOf(collection, owner),
    insert: (item) => insertInFreeSlot(collection, item, maxItems),
    replace: (item) => replaceItem(collection, item),
    async remove(id) {
      return (await mongoCall(() => collection.deleteOne({ _id: id }))).deletedCount === 1;
    },
    listAll: (page) => pageById(collection, { page, read: readItem }),
    async replaceValue(id, field, { from, to }) {
      const there = { name: field, 'value.keyId': from.keyId, 'value.sealed': from.sealed };
      const result = await mongoCall(() =>
        collection.updateOne(
          { _id: id, fields: { $elemMatch: there } },
          { $set: { 'fields.$[one].value': { keyId: to.keyId, sealed: to.sealed } } },
          { arrayFilters: [{ 'one.name': field }] },
        ),
      );
      return result.matchedCount === 1;
    },
  };
}

function afterPlace(after: readonly [string, string] | null): object {
  if (after === null) return {};
  const [vault, name] = after;
  return { $or: [{ vault: { $gt: vault } }, { vault, name: { $gt: name } }] };
}

/** Names alone are read: there are at most {@link MAX_ITEMS}. */
async function vaultsOf(collection: Items, owner: LockerOwner): Promise<readonly LockerVault[]> {
  const projection = { _id: 0, vault: 1 } as const;
  const documents = await mongoCall(() =>
    collection
      .find({ owner: ownerKey(owner) })
      .project<Pick<ItemDocument, 'vault'>>(projection)
      .toArray(),
  );
  const groups = Map.groupBy(documents, ({ vault }) => vault);
  return [...groups].map(([name, { length }]) => ({ name, items: length })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** More writers than this at once find each other's slots taken again and again. */
const ATTEMPTS = 50;

/** The unique slot keeps the bound also when many are added at once: who finds none free adds nothing. */
async function insertInFreeSlot(collection: Items, item: LockerItem, maxItems: number): Promise<void> {
  const owner = ownerKey(item.owner);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const documents = await mongoCall(() =>
      collection.find({ owner }).project<Pick<ItemDocument, 'slot'>>({ _id: 0, slot: 1 }).toArray(),
    );
    const taken = new Set(documents.map(({ slot }) => slot));
    const free = Array.from({ length: maxItems }, (_, slot) => slot).filter((slot) => !taken.has(slot));
    const slot = free[Math.floor(Math.random() * free.length)];
    if (slot === undefined) throw full(maxItems);
    try {
      await mongoCall(() => collection.insertOne({ _id: item.id, ...itemFields(item), slot }));
      return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await refuseTaken(collection, item);
    }
  }
  throw changedMeanwhile(item);
}

async function replaceItem(collection: Items, item: LockerItem): Promise<void> {
  try {
    const filter = { _id: item.id, revision: item.revision - 1 };
    const { matchedCount } = await mongoCall(() => collection.updateOne(filter, { $set: itemFields(item) }));
    if (matchedCount === 0) throw changedMeanwhile(item);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await refuseTaken(collection, item);
    throw changedMeanwhile(item);
  }
}

/** What a unique index refused: the name or the alias. Returns when it was neither. */
async function refuseTaken(collection: Items, { id, owner, vault, name, legacyAlias }: LockerItem): Promise<void> {
  const key = ownerKey(owner);
  const named = await mongoCall(() => collection.findOne({ owner: key, vault, name }));
  if (named !== null && named._id !== id) throw changedMeanwhile({ owner, vault, name });
  if (legacyAlias === null) return;
  const aliased = await mongoCall(() => collection.findOne({ owner: key, aliasKey: legacyAlias }));
  if (aliased === null || aliased._id === id) return;
  const message = `is the one of ${handleOfItem(readItem(aliased))} already`;
  throw new FairleadError('VALIDATION_FAILED', `legacyAlias: ${message}`, {
    details: [{ field: 'legacyAlias', message }],
  });
}

function changedMeanwhile(place: Parameters<typeof handleOfItem>[0]): FairleadError {
  const message = `Another request is changing ${handleOfItem(place)}; try again`;
  return new FairleadError('CONFLICT', message, { retryable: true });
}

function full(maxItems: number): FairleadError {
  return new FairleadError('LOCKER_FULL', `This locker has ${maxItems} items, which is all that it takes; remove some`);
}
