import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { CHAT_SERVICES } from '../../../domain/notifications/chat-services.ts';
import { CHANNEL_STATES, type Channel } from '../../../domain/notifications/notification.ts';
import { type ChannelStore, MOST_CHANNELS } from '../../../domain/notifications/ports.ts';
import { PASSING, WEEKDAYS } from '../../../domain/notifications/quiet-hours.ts';
import { mongoCall } from '../connect.ts';
import { insertIfNew } from '../insert-new.ts';
import { readDocument } from '../read-document.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';
import { COLLECTIONS } from './indexes.ts';

type ChannelDocument = Omit<Channel, 'id'> & {
  readonly _id: string;
  /** `<org>/<n>`, one of the places of the org: no two channels have one. Those of an earlier version have none. */
  readonly place?: string;
};

/** No org has such a name. */
const OPERATORS = '~operators';
const text = z.string();
const channelSchema = z.object({
  _id: text,
  org: text.nullable(),
  target: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('mail'), to: text }),
    z.object({ kind: z.literal('webhook'), url: text, secrets: z.array(sealedSecretSchema) }),
    z.object({ kind: z.literal('chat'), service: z.enum(CHAT_SERVICES), host: text, settings: sealedSecretSchema }),
  ]),
  // Those of before addresses were confirmed were added by the platform's admins.
  state: z.enum(CHANNEL_STATES).default('active'),
  confirmation: z.object({ nonce: text, hash: text, expiresAt: z.date() }).nullable().default(null),
  quiet: z
    .object({
      ...{ from: text, to: text, timeZone: text },
      weekdays: z.array(z.enum(WEEKDAYS)).nullable(),
      passes: z.enum(PASSING),
    })
    .nullish(),
  createdAt: z.date(),
  createdBy: text,
});

/** Channels in MongoDB: one document each. */
export function createChannelStore({ db }: { readonly db: Db }): ChannelStore {
  const collection: Collection<ChannelDocument> = db.collection(COLLECTIONS.channels);
  return {
    async find(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id }));
      return document === null ? null : readChannel(document);
    },
    async list(org) {
      const documents = await mongoCall(() => collection.find({ org }).sort({ _id: 1 }).limit(MOST_CHANNELS).toArray());
      return documents.map(readChannel);
    },
    async insert({ id, ...fields }) {
      // Whoever finds its place taken meanwhile looks for the next one: there are so many, and no more.
      for (let look = 0; look <= MOST_CHANNELS; look += 1) {
        const place = await freePlace(collection, fields.org);
        if (place === null) break;
        if (await insertIfNew(collection, { _id: id, ...fields, place })) return;
      }
      throw new FairleadError('CONFLICT', `There are ${MOST_CHANNELS} channels already: remove one first.`);
    },
    async activate(id) {
      const filter = { _id: id, state: 'unconfirmed' as const, confirmation: null };
      await mongoCall(() => collection.updateOne(filter, { $set: { state: 'active' } }));
    },
    async confirm(id, hash, now) {
      const filter = {
        ...{ _id: id, state: 'unconfirmed' as const },
        ...{ 'confirmation.hash': hash, 'confirmation.expiresAt': { $gt: now } },
      };
      const update = { $set: { state: 'active' as const, confirmation: null } };
      const { matchedCount } = await mongoCall(() => collection.updateOne(filter, update));
      return matchedCount === 1;
    },
    async stop(id) {
      await mongoCall(() => collection.updateOne({ _id: id }, { $set: { state: 'stopped', confirmation: null } }));
    },
    async setQuiet(id, quiet) {
      await mongoCall(() => collection.updateOne({ _id: id }, { $set: { quiet } }));
    },
    async remove(id) {
      await mongoCall(() => collection.deleteOne({ _id: id }));
    },
  };
}

/** Null where none is free. */
async function freePlace(collection: Collection<ChannelDocument>, org: string | null): Promise<string | null> {
  const documents = await mongoCall(() => collection.find({ org }, { projection: { place: 1 } }).toArray());
  const taken = new Set(documents.map(({ place }) => place));
  const withoutPlace = documents.filter(({ place }) => place === undefined).length;
  for (let number = 0; number < MOST_CHANNELS - withoutPlace; number += 1) {
    const place = `${org ?? OPERATORS}/${number}`;
    if (!taken.has(place)) return place;
  }
  return null;
}

function readChannel(document: unknown): Channel {
  const { _id, ...rest } = readDocument('channel', channelSchema, document);
  return { id: _id, ...rest };
}
