import type { Collection, Db, Filter } from 'mongodb';
import { z } from 'zod';
import { type Channel, DELIVERY_STATES, type Delivery } from '../../../domain/notifications/notification.ts';
import type { DeliveryFilter, DeliveryStore } from '../../../domain/notifications/ports.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';
import { notificationSchema } from './notification-schema.ts';

type DeliveryDocument = Omit<Delivery, 'id'> & { readonly _id: string };

/** Ids in one command. */
const MOST_IDS = 1_000;

const text = z.string();
const deliverySchema = z.object({
  _id: text,
  notification: notificationSchema,
  channelId: text,
  org: text.nullable(),
  state: z.enum(DELIVERY_STATES),
  attempts: z.int(),
  lastProblem: text.nullable(),
  heldUntil: z.date().optional(),
  covers: z.array(text).optional(),
  createdAt: z.date(),
  endedAt: z.date().nullable(),
});

/** How many deliveries are under way or wait for another attempt. @throws UNAVAILABLE */
export async function countUnderWay(db: Db): Promise<number> {
  const collection: Collection<DeliveryDocument> = db.collection(COLLECTIONS.deliveries);
  // By when they ended, which has an index.
  return await mongoCall(() => collection.countDocuments({ endedAt: null, state: 'pending' }));
}

/** Deliveries in MongoDB: one document each. */
export function createDeliveryStore({ db }: { readonly db: Db }): DeliveryStore {
  const collection: Collection<DeliveryDocument> = db.collection(COLLECTIONS.deliveries);
  return {
    async find(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id }));
      return document === null ? null : readDelivery(document);
    },
    insert: ({ id, ...fields }) => insertOnce(collection, id, fields),
    countPending: async ({ id: channelId, org }, since, most) => {
      const waiting = { org, state: 'pending', channelId, createdAt: { $gte: since } } as const;
      const found = await mongoCall(() =>
        collection
          .find(waiting, { projection: { _id: 1 } })
          .limit(most)
          .toArray(),
      );
      return found.length;
    },
    async note(id, change) {
      await mongoCall(() => collection.updateOne({ _id: id }, { $set: change }));
    },
    async hold(id, until) {
      const change = { state: 'held', heldUntil: until } as const;
      await mongoCall(() => collection.updateOne({ _id: id, state: 'pending' }, { $set: change }));
    },
    countHeld: (channel, until, most) =>
      mongoCall(() => collection.countDocuments(heldOf(channel, until), { limit: most })),
    async listHeld(channel, until, most) {
      const held = collection.find(heldOf(channel, until)).sort({ createdAt: 1, _id: 1 }).limit(most);
      return (await mongoCall(() => held.toArray())).map(readDelivery);
    },
    async endHeld(ids, end) {
      for (let from = 0; from < ids.length; from += MOST_IDS) {
        const filter = { _id: { $in: ids.slice(from, from + MOST_IDS) }, state: { $in: ['held', 'dead'] as const } };
        await mongoCall(() => collection.updateMany(filter, { $set: end }));
      }
    },
    async list(filter, { cursor, limit }) {
      const older = olderThan('createdAt', decodeCursor(cursor, timeAndId)) as Filter<DeliveryDocument>;
      const documents = await mongoCall(() =>
        collection
          .find({ $and: [listedBy(filter), older] })
          .sort({ createdAt: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      const page = toPage(documents, limit, ({ createdAt, _id }) => [createdAt.getTime(), _id]);
      return { ...page, items: page.items.map(readDelivery) };
    },
  };
}

function listedBy({ org, page, state }: DeliveryFilter): Filter<DeliveryDocument> {
  if (page === undefined) return { org, state };
  return { state, $or: [{ org }, { org: page, 'notification.kind': { $ne: 'subscriber.confirm' } }] };
}

function heldOf({ id, org }: Pick<Channel, 'id' | 'org'>, until: Date): Filter<DeliveryDocument> {
  return { org, state: 'held', channelId: id, heldUntil: until };
}

function readDelivery(document: unknown): Delivery {
  const { _id, ...rest } = readDocument('delivery', deliverySchema, document);
  return { id: _id, ...rest };
}
