import { createHash } from 'node:crypto';
import type { Collection, Db, Filter } from 'mongodb';
import { z } from 'zod';
import {
  mailboxOf,
  nextQuestion,
  type Questions,
  SUBSCRIBER_STATES,
  type SubscribeRequest,
  type Subscriber,
} from '../../../domain/notifications/subscriber.ts';
import type { SubscriberStore } from '../../../domain/notifications/subscriber-ports.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { insertIfNew } from '../insert-new.ts';
import { pageById } from '../page-by-id.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';

type SubscriberDocument = Omit<Subscriber, 'id'> & { readonly _id: string };
type RequestDocument = Omit<SubscribeRequest, 'id'> & { readonly _id: string };
/** By a digest of the address: what is counted is no list of addresses. */
type QuestionsDocument = Questions & { readonly _id: string; readonly at: Date };

const text = z.string();
const subscriberSchema = z.object({
  _id: text,
  org: text,
  address: text,
  state: z.enum(SUBSCRIBER_STATES),
  confirmation: z.object({ nonce: text, hash: text, expiresAt: z.date() }).nullable(),
  askedBy: text,
  confirmedAt: z.date().nullable(),
});
const requestSchema = z.object({ _id: text, org: text, address: text, at: z.date() });
const questionsSchema = z.object({ askedBy: text, times: z.array(z.date()) });

/** Subscribers in MongoDB: one document each, which carries its state and its link. */
export function createSubscriberStore({ db }: { readonly db: Db }): SubscriberStore {
  const subscribers: Collection<SubscriberDocument> = db.collection(COLLECTIONS.subscribers);
  const requests: Collection<RequestDocument> = db.collection(COLLECTIONS.requests);
  const questions: Collection<QuestionsDocument> = db.collection(COLLECTIONS.questions);
  const findOne = async (filter: Filter<SubscriberDocument>): Promise<Subscriber | null> => {
    const document = await mongoCall(() => subscribers.findOne(filter));
    return document === null ? null : readSubscriber(document);
  };
  return {
    keepRequest: ({ id, ...fields }) => insertOnce(requests, id, fields),
    async findRequest(id) {
      const document = await mongoCall(() => requests.findOne({ _id: id }));
      if (document === null) return null;
      const { _id, ...fields } = readDocument('request to subscribe', requestSchema, document);
      return { id: _id, ...fields };
    },
    countQuestion: (request) => countQuestion(questions, request),
    find: (id) => findOne({ _id: id }),
    findByAddress: (org, address) => findOne({ org, address }),
    async ask({ id, org, address, askedBy, confirmation }) {
      const added = { _id: id, org, address, state: 'pending' as const, askedBy, confirmation, confirmedAt: null };
      if (await insertIfNew(subscribers, added)) return;
      const filter = { org, address, state: 'pending' as const, askedBy: { $ne: askedBy } };
      await mongoCall(() => subscribers.updateOne(filter, { $set: { askedBy, confirmation } }));
    },
    async confirm(id, hash, now) {
      const filter = {
        ...{ _id: id, state: 'pending' as const },
        ...{ 'confirmation.hash': hash, 'confirmation.expiresAt': { $gt: now } },
      };
      const update = { $set: { state: 'confirmed' as const, confirmation: null, confirmedAt: now } };
      const { matchedCount } = await mongoCall(() => subscribers.updateOne(filter, update));
      return matchedCount === 1;
    },
    async remove(id) {
      await mongoCall(() => subscribers.deleteOne({ _id: id }));
    },
    async removeAll(org) {
      const { deletedCount } = await mongoCall(() => subscribers.deleteMany({ org }));
      return deletedCount;
    },
    count: (org, most) =>
      mongoCall(() =>
        subscribers.countDocuments({ org, state: 'confirmed' }, most === undefined ? {} : { limit: most }),
      ),
    list: (org, page) => pageById(subscribers, { page, filter: { org, state: 'confirmed' }, read: readSubscriber }),
    async findConfirmed(ids) {
      const filter = { _id: { $in: [...ids] }, state: 'confirmed' as const };
      return (await mongoCall(() => subscribers.find(filter).sort({ _id: 1 }).toArray())).map(readSubscriber);
    },
  };
}

/** What was read is what is replaced: whoever finds that another request came between is that one too many. */
async function countQuestion(collection: Collection<QuestionsDocument>, request: SubscribeRequest): Promise<boolean> {
  const _id = createHash('sha256').update(mailboxOf(request.address)).digest('hex');
  const document = await mongoCall(() => collection.findOne({ _id }));
  const known = document === null ? null : readDocument('questions', questionsSchema, document);
  const next = nextQuestion(known, request);
  if (next === null || next === known) return next !== null;
  const fields = { askedBy: next.askedBy, times: [...next.times], at: request.at };
  if (known === null) return await insertIfNew(collection, { _id, ...fields });
  const { matchedCount } = await mongoCall(() =>
    collection.updateOne({ _id, askedBy: known.askedBy }, { $set: fields }),
  );
  return matchedCount === 1;
}

function readSubscriber(document: unknown): Subscriber {
  const { _id, ...rest } = readDocument('subscriber', subscriberSchema, document);
  return { id: _id, ...rest };
}
