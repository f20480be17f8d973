import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import type { Clock } from '../../../domain/clock.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import {
  DELIVERY_KEPT_SECONDS,
  DELIVERY_KINDS,
  DIGEST_KEPT_SECONDS,
  type GitDelivery,
  LOOK_REASONS,
  type LookReason,
} from '../../../domain/git-hooks/delivery.ts';
import type { GitDeliveryStore } from '../../../domain/git-hooks/ports.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { insertIfNew } from '../insert-new.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS, DELIVERY_EXPIRY, DIGEST_EXPIRY } from './indexes.ts';

interface DeliveryDocument extends Omit<GitDelivery, 'id'> {
  readonly _id: string;
}

interface DigestDocument {
  /** `<connection>/<digest>` */
  readonly _id: string;
  readonly connectionId: string;
  readonly seenAt: Date;
}

const text = z.string().nullable();
const reasons = Object.keys(LOOK_REASONS) as [LookReason, ...LookReason[]];

const deliverySchema = z.object({
  _id: z.string(),
  connectionId: z.string(),
  kind: z.enum(DELIVERY_KINDS),
  event: z.string(),
  providerId: text,
  ref: text,
  claimedHead: text,
  login: text,
  accountId: text.default(null),
  requestedBy: text,
  alreadySeen: z.boolean(),
  receivedAt: z.date(),
  state: z.enum(['waiting', 'decided']),
  outcomes: z.array(
    z.object({
      reason: z.enum(reasons),
      ref: text,
      service: text,
      environment: z.enum(ENVIRONMENTS).nullable(),
      commit: text,
      buildId: text,
      message: text,
    }),
  ),
});

/** Deliveries in MongoDB, one document each; a document for each digest, whose id says that there is one. */
export function createGitDeliveryStore(deps: { db: Db; now: Clock }): GitDeliveryStore {
  const { db, now } = deps;
  const collection = db.collection<DeliveryDocument>(COLLECTIONS.deliveries);
  const digests = db.collection<DigestDocument>(COLLECTIONS.digests);
  const sweepDeliveries = createExpirySweep(deps, COLLECTIONS.deliveries, DELIVERY_EXPIRY);
  const sweepDigests = createExpirySweep(deps, COLLECTIONS.digests, DIGEST_EXPIRY);
  return {
    async insert({ id, ...fields }) {
      await sweepDeliveries();
      await insertIfNew(collection, { _id: id, ...fields });
    },
    async find(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id }));
      return document === null ? null : parseDelivery(document);
    },
    async findMany(ids) {
      const documents = await mongoCall(() => collection.find({ _id: { $in: [...ids] } }).toArray());
      return documents.map(parseDelivery);
    },
    async list(connectionId, { cursor, limit }) {
      const since = new Date(now().getTime() - DELIVERY_KEPT_SECONDS * 1000);
      const conditions = [
        { connectionId, receivedAt: { $gt: since } },
        olderThan('receivedAt', decodeCursor(cursor, timeAndId)),
      ];
      const documents = await mongoCall(() =>
        collection
          .find({ $and: conditions } as Filter<DeliveryDocument>)
          .sort({ receivedAt: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(parseDelivery), limit, ({ receivedAt, id }) => [receivedAt.getTime(), id]);
    },
    async listWaiting({ from, to }, limit) {
      const filter = { state: 'waiting' as const, receivedAt: { $gte: from, $lt: to } };
      const documents = await mongoCall(() => collection.find(filter).sort({ receivedAt: 1 }).limit(limit).toArray());
      return documents.map(parseDelivery);
    },
    async decide(ids, outcomes) {
      const change = { $set: { state: 'decided' as const }, $addToSet: { outcomes: { $each: [...outcomes] } } };
      await mongoCall(() => collection.updateMany({ _id: { $in: [...ids] } }, change));
    },
    async addDigest(connectionId, digest) {
      await sweepDigests();
      const _id = `${connectionId}/${digest}`;
      const seenAt = now();
      if (await insertIfNew(digests, { _id, connectionId, seenAt })) return true;
      // One that has expired may lie there still.
      const expired = new Date(seenAt.getTime() - DIGEST_KEPT_SECONDS * 1000);
      const filter = { _id, seenAt: { $lte: expired } };
      return (await mongoCall(() => digests.updateOne(filter, { $set: { seenAt } }))).matchedCount === 1;
    },
    async removeAll(connectionId) {
      await mongoCall(() => collection.deleteMany({ connectionId }));
      await mongoCall(() => digests.deleteMany({ connectionId }));
    },
  };
}

function parseDelivery(document: unknown): GitDelivery {
  const { _id, ...delivery } = readDocument('git delivery', deliverySchema, document);
  return { id: _id, ...delivery };
}
