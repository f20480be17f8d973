import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { CHANNEL_STATES, type Channel } from '../../../domain/notifications/notification.ts';
import { type ChannelStore, MOST_CHANNELS } from '../../../domain/notifications/ports.ts';
import { mongoCall } from '../connect.ts';
import { readDocument } from '../read-document.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';
import { COLLECTIONS } from './indexes.ts';

type ChannelDocument = Omit<Channel, 'id'> & { readonly _id: string };

const text = z.string();
const channelSchema = z.object({
  _id: text,
  org: text.nullable(),
  target: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('mail'), to: text }),
    z.object({ kind: z.literal('webhook'), url: text, secrets: z.array(sealedSecretSchema) }),
  ]),
  // Those of before addresses were confirmed were added by the platform's admins.
  state: z.enum(CHANNEL_STATES).default('active'),
  confirmation: z.object({ nonce: text, hash: text, expiresAt: z.date() }).nullable().default(null),
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
      const count = await mongoCall(() => collection.countDocuments({ org: fields.org }));
      if (count >= MOST_CHANNELS) {
        throw new FairleadError('CONFLICT', `There are ${MOST_CHANNELS} channels already: remove one first.`);
      }
      await mongoCall(() => collection.insertOne({ _id: id, ...fields }));
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
    async remove(id) {
      await mongoCall(() => collection.deleteOne({ _id: id }));
    },
  };
}

function readChannel(document: unknown): Channel {
  const { _id, ...rest } = readDocument('channel', channelSchema, document);
  return { id: _id, ...rest };
}
