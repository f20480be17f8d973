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
import { createInsertTogether } from '../insert-together.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS, DELIVERY_EXPIRY } from './indexes.ts';

interface DeliveryDocument extends Omit<GitDelivery, 'id'> {
  readonly _id: string;
  /** `<connection>/<digest>` of the first delivery of a digest in seven days; absent in the others. */
  readonly firstOf?: string;
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

/** Deliveries in MongoDB, one document each. A unique index has the first of each digest. */
export function createGitDeliveryStore(deps: { db: Db; now: Clock }): GitDeliveryStore {
  const { db, now } = deps;
  const collection = db.collection<DeliveryDocument>(COLLECTIONS.deliveries);
  const insertTogether = createInsertTogether(collection);
  const sweepDeliveries = createExpirySweep(deps, COLLECTIONS.deliveries, DELIVERY_EXPIRY);
  const insert = async ({ id, ...fields }: GitDelivery, first: Pick<DeliveryDocument, 'firstOf'> = {}) => {
    await sweepDeliveries();
    return await insertTogether({ _id: id, ...fields, ...first });
  };
  return {
    async insert(delivery) {
      await insert(delivery);
    },
    async insertSigned(delivery, digest) {
      const first = { ...delivery, alreadySeen: false };
      const firstOf = `${delivery.connectionId}/${digest}`;
      if (await insert(first, { firstOf })) return first;
      // The one that has the digest may have come more than seven days ago.
      const expired = new Date(now().getTime() - DIGEST_KEPT_SECONDS * 1000);
      const old = { firstOf, receivedAt: { $lte: expired } };
      const freed = await mongoCall(() => collection.updateOne(old, { $unset: { firstOf: '' } }));
      if (freed.matchedCount === 1 && (await insert(first, { firstOf }))) return first;
      const again = { ...delivery, alreadySeen: true };
      await insert(again);
      return again;
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
    async removeAll(connectionId) {
      await mongoCall(() => collection.deleteMany({ connectionId }));
    },
  };
}

function parseDelivery(document: unknown): GitDelivery {
  const { _id, ...delivery } = readDocument('git delivery', deliverySchema, document);
  return { id: _id, ...delivery };
}
