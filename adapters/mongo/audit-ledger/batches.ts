import { Binary, type Db, type Filter } from 'mongodb';
import { z } from 'zod';
import type { Batch } from '../../../domain/audit-ledger/batch.ts';
import type { Day } from '../../../domain/audit-ledger/day-close.ts';
import { DAY_PATTERN } from '../../../domain/audit-ledger/days.ts';
import type { Hash } from '../../../domain/audit-ledger/event.ts';
import { siblingPath, toHash } from '../../../domain/audit-ledger/merkle-tree.ts';
import type { BatchContent, BatchLeaf, BatchSegment, BatchStore } from '../../../domain/audit-ledger/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { ANCHORING_COLLECTIONS } from './anchoring-indexes.ts';
import {
  LEAVES_PER_CHUNK,
  leavesDocument,
  readBatch,
  readLeaves,
  readNamespace,
  readNodes,
  readSegment,
} from './batch-documents.ts';
import { insertAll, type Stored } from './insert-all.ts';
import { createList, LISTED_PER_DOCUMENT, lastListed, listDocuments, listId } from './leaf-lists.ts';
import { chunksOf, placeOf } from './node-chunks.ts';

const dayCursor = z.tuple([z.string().regex(DAY_PATTERN)]);
/** Documents of the list for one insert: few, as they are hashed between two. */
const LIST_DOCUMENTS = 5;

/**
 * Batches in MongoDB. What a batch is made of is stored under its root, first; the record of the day is inserted last,
 * and what has no record does not exist. Two writers of one day write the same documents, as its events are settled; if
 * they did not, their roots would differ and nothing would mix.
 */
export function createBatchStore({ db }: { db: Db }): BatchStore {
  const batches = db.collection<Stored>(ANCHORING_COLLECTIONS.batches);
  const segments = db.collection<Stored>(ANCHORING_COLLECTIONS.segments);
  const namespaces = db.collection<Stored>(ANCHORING_COLLECTIONS.namespaces);
  const leaves = db.collection<Stored>(ANCHORING_COLLECTIONS.leaves);
  const nodes = db.collection<Stored>(ANCHORING_COLLECTIONS.nodes);

  let listing: Promise<void> = Promise.resolve();

  async function find(id: Day): Promise<Batch | null> {
    return readBatch(await mongoCall(() => batches.findOne({ _id: id })));
  }

  /** False when the day has a record. */
  async function insertRecord(record: Stored): Promise<boolean> {
    try {
      await mongoCall(() => batches.insertOne(record));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** What stands in the place of a day's record and is none, which somebody else must have put there. */
  async function removeUnreadable(id: Day): Promise<void> {
    const document = await mongoCall(() => batches.findOne({ _id: id }));
    if (document !== null && readBatch(document) === null)
      await mongoCall(() => batches.deleteOne(sameRecord(document)));
  }

  async function store(id: Day, root: Hash, content: BatchContent): Promise<void> {
    await insertAll(segments, segmentDocuments(id, root, content));
    await insertAll(namespaces, namespaceDocuments(root, content));
    await insertAll(leaves, leafDocuments(root, content));
    await insertAll(nodes, nodeDocuments(root, content));
    await insertAll(nodes, listDocuments(root, content), LIST_DOCUMENTS);
  }

  /** Found by the primary key, however many batches there are. */
  async function segmentsOf({ root }: Batch, namespace: string): Promise<readonly BatchSegment[]> {
    const document = await mongoCall(() => namespaces.findOne({ _id: namespaceId(root, namespace) }));
    if (document !== null) return readNamespace(document);
    // Batches that were stored before namespaces had documents of their own.
    return (await mongoCall(() => segments.find({ namespace, root }).toArray())).map(readSegment);
  }

  async function* leavesOf(id: Day): AsyncGenerator<BatchLeaf> {
    const batch = await find(id);
    if (batch === null) return;
    const { root } = batch;
    const parts = segments.find({ root, batchId: id }).sort({ firstLeafIndex: 1 });
    const chunks = leaves.find({ root }).sort({ firstLeafIndex: 1 }).batchSize(20);
    try {
      let chunk = null;
      for (;;) {
        const part = await mongoCall(() => parts.next());
        if (part === null) return;
        const { namespace, firstChainIndex, firstLeafIndex, count } = readSegment(part);
        for (let offset = 0; offset < count; offset += 1) {
          const leafIndex = firstLeafIndex + offset;
          if (chunk === null || leafIndex >= chunk.firstLeafIndex + chunk.count) {
            chunk = readLeaves(await mongoCall(() => chunks.next()));
          }
          yield {
            leafIndex,
            eventId: chunk.eventId(leafIndex),
            namespace,
            chainIndex: firstChainIndex + offset,
            orgSlug: chunk.orgSlug(leafIndex),
            eventHash: toHash(chunk.eventHash(leafIndex)),
          };
        }
      }
    } finally {
      await Promise.all([parts.close(), chunks.close()]);
    }
  }

  /** Nothing where they are not stored. */
  async function nodesOf(_id: string): Promise<Uint8Array> {
    const document = await mongoCall(() => nodes.findOne({ _id }));
    return document === null ? new Uint8Array() : readNodes(document);
  }

  async function* listedOf(id: Day): AsyncGenerator<Hash> {
    const batch = await find(id);
    if (batch === null) return;
    const { root, leafCount } = batch;
    for (let first = 0; first < leafCount; first += LISTED_PER_DOCUMENT) {
      let hashes = await nodesOf(listId(root, first));
      if (hashes.length === 0) {
        await listLater(batch);
        hashes = await nodesOf(listId(root, first));
      }
      const count = Math.min(LISTED_PER_DOCUMENT, leafCount - first);
      for (let offset = 0; offset < count; offset += 1) yield nodeAt(hashes, offset, id);
    }
  }

  /** Of batches that were stored before lists were, one at a time, as it takes memory. */
  function listLater(batch: Batch): Promise<void> {
    listing = listing.catch(() => undefined).then(() => storeList(batch));
    return listing;
  }

  async function storeList({ root, leafCount }: Batch): Promise<void> {
    const isStored = (await nodesOf(listId(root, lastListed(leafCount)))).length > 0;
    if (isStored) return;
    const list = createList(leafCount);
    for await (const document of leaves.find({ root })) {
      const { firstLeafIndex, count, eventHash, position } = readLeaves(document);
      for (let leaf = firstLeafIndex; leaf < firstLeafIndex + count; leaf += 1)
        list.add(eventHash(leaf), position(leaf));
    }
    await insertAll(nodes, list.documents(root), LIST_DOCUMENTS);
  }

  return {
    async insert({ id, ...batch }, content) {
      if ((await find(id)) !== null) return false;
      if (content !== null) await store(id, batch.root, content);
      const record = toRecord({ id, ...batch });
      if (await insertRecord(record)) return true;
      await removeUnreadable(id);
      return await insertRecord(record);
    },
    find,
    async replace({ id, root, leafCount, chainIds, closedAt, signature }, batch, content) {
      if (content !== null) await store(id, batch.root, content);
      const signed = { 'signature.signature': signature?.signature ?? { $exists: false } };
      const found = { _id: id, root, leafCount, chainIds: [...chainIds], closedAt, ...signed };
      await mongoCall(() => batches.replaceOne(found, toRecord(batch)));
    },
    async latestBefore(day) {
      const earlier = batches.find({ _id: { $lt: day } }).sort({ _id: -1 });
      try {
        for (;;) {
          const document = await mongoCall(() => earlier.next());
          const batch = readBatch(document);
          if (document === null || batch !== null) return batch;
        }
      } finally {
        await earlier.close();
      }
    },
    async list(from, to, { cursor, limit }) {
      const [after] = decodeCursor(cursor, dayCursor) ?? [];
      const range = { $gte: from, $lte: to, ...(after === undefined ? {} : { $gt: after }) };
      const documents = await mongoCall(() =>
        batches
          .find({ _id: range })
          .sort({ _id: 1 })
          .limit(limit + 1)
          .toArray(),
      );
      const { items, nextCursor } = toPage(documents, limit, ({ _id }) => [_id]);
      return { items: items.flatMap((document) => readBatch(document) ?? []), nextCursor };
    },
    async putAnchor(id, anchor) {
      const { chainId } = anchor;
      const missing = { _id: id, 'anchors.chainId': { $ne: chainId } };
      const pushed = await mongoCall(() => batches.updateOne(missing, { $push: { anchors: { ...anchor } } as never }));
      if (pushed.matchedCount === 1) return;
      const change = { $set: { 'anchors.$[own]': { ...anchor } } };
      const arrayFilters = [{ 'own.chainId': chainId }];
      await mongoCall(() => batches.updateOne({ _id: id }, change, { arrayFilters }));
    },
    async dropAnchor(id, chainId) {
      await mongoCall(() => batches.updateOne({ _id: id }, { $pull: { anchors: { chainId } } as never }));
    },
    async locate(id, namespace, chainIndex) {
      const batch = await find(id);
      if (batch === null) return null;
      for (const { firstChainIndex, firstLeafIndex, count } of await segmentsOf(batch, namespace)) {
        const offset = chainIndex - firstChainIndex;
        if (offset >= 0 && offset < count) return { batch, leafIndex: firstLeafIndex + offset };
      }
      return null;
    },
    leaves: leavesOf,
    listed: listedOf,
    async proof(id, leafIndex) {
      const batch = await find(id);
      if (batch === null || leafIndex >= batch.leafCount) {
        throw new FairleadError('BATCH_NOT_FOUND', `There is no batch of ${id} with a leaf ${leafIndex}`);
      }
      const { root, leafCount } = batch;
      const firstLeafIndex = leafIndex - (leafIndex % LEAVES_PER_CHUNK);
      const chunk = readLeaves(await mongoCall(() => leaves.findOne({ _id: `${root}/${firstLeafIndex}` })));
      const places = siblingPath(chunk.position(leafIndex)).map((node) => placeOf(node, leafCount));
      const tops = [...new Set(places.map(({ top }) => top))];
      const documents = await mongoCall(() =>
        nodes.find({ _id: { $in: tops.map((top) => nodesId(root, top)) } }).toArray(),
      );
      const byId = new Map(documents.map((document) => [document._id, readNodes(document)]));
      return places.map(({ top, offset }) => {
        return nodeAt(byId.get(nodesId(root, top)) ?? new Uint8Array(), offset, id);
      });
    },
  };
}

function toRecord({ id, ...batch }: Omit<Batch, 'anchors'>): Stored {
  return { _id: id, ...batch, chainIds: [...batch.chainIds], anchors: [] };
}

/** @throws INTERNAL for a node that is not stored */
function nodeAt(nodes: Uint8Array, offset: number, id: Day): Hash {
  const node = nodes.subarray(offset * 32, (offset + 1) * 32);
  if (node.length !== 32) throw new FairleadError('INTERNAL', `the tree of ${id} is not whole`);
  return toHash(node);
}

/** Filter that a record matches as long as nothing but its anchors has changed. */
function sameRecord(record: Stored): Filter<Stored> {
  const fields = ['root', 'leafCount', 'chainIds', 'closedAt', 'signature'];
  const same = fields.map((field) => [field, field in record ? { $eq: record[field] } : { $exists: false }]);
  return { _id: record._id, ...Object.fromEntries(same) };
}

const nodesId = (root: Hash, top: number): string => `${root}/${top}`;

function* segmentDocuments(batchId: Day, root: Hash, { segments }: BatchContent): Generator<Stored> {
  for (const segment of segments) yield { _id: `${root}/${segment.firstLeafIndex}`, batchId, root, ...segment };
}

const namespaceId = (root: Hash, namespace: string): string => `${root}/${namespace}`;

/** What each namespace has of the batch, in a document that is found by its id. */
function* namespaceDocuments(root: Hash, { segments }: BatchContent): Generator<Stored> {
  for (const [namespace, own] of Map.groupBy(segments, (segment) => segment.namespace)) {
    yield { _id: namespaceId(root, namespace), segments: own };
  }
}

function* leafDocuments(root: Hash, content: BatchContent): Generator<Stored> {
  for (let first = 0; first < content.eventIds.length; first += LEAVES_PER_CHUNK) {
    yield leavesDocument(root, content, first);
  }
}

function* nodeDocuments(root: Hash, { tree }: BatchContent): Generator<Stored> {
  for (const { top, nodes } of chunksOf(tree)) yield { _id: nodesId(root, top), nodes: new Binary(nodes) };
}
