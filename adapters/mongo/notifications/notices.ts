import type { Collection, Db, Filter } from 'mongodb';
import { z } from 'zod';
import { isNotificationKind, type Notification, URGENCIES } from '../../../domain/notifications/notification.ts';
import type { NoticeRound, NoticeStore } from '../../../domain/notifications/ports.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { insertMissing } from '../insert-new.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';
import { notificationSchema } from './notification-schema.ts';

interface NoticeDocument {
  readonly _id: string;
  readonly org: string | null;
  readonly notification: Notification;
  readonly createdAt: Date;
  /** Null while it waits. */
  readonly toldAt: Date | null;
}
type RoundDocument = Omit<NoticeRound, 'id'> & { readonly _id: string };

const text = z.string();
const waitingSchema = z.object({
  _id: text,
  notification: z.object({
    kind: text.refine(isNotificationKind),
    urgency: z.enum(URGENCIES).optional(),
    only: z.array(text).optional(),
  }),
});
const noticeSchema = z.object({ _id: text, notification: notificationSchema });
const roundSchema = z.object({
  _id: text,
  org: text.nullable(),
  noticeIds: z.array(text),
  notifications: z.array(notificationSchema),
  at: z.date(),
});

/** Ids in one command. */
const MOST_IDS = 1_000;
const OLDEST_FIRST = { createdAt: 1, _id: 1 } as const;

/** Notices that wait, in MongoDB: a document each, and one a round. */
export function createNoticeStore({ db }: { readonly db: Db }): NoticeStore {
  const notices: Collection<NoticeDocument> = db.collection(COLLECTIONS.notices);
  const rounds: Collection<RoundDocument> = db.collection(COLLECTIONS.rounds);
  const waitingOf = (org: string | null): Filter<NoticeDocument> => ({ org, toldAt: null });
  const findRound = async (id: string): Promise<NoticeRound | null> => {
    const document = await mongoCall(() => rounds.findOne({ _id: id }));
    return document === null ? null : readRound(document);
  };
  return {
    async insert(list, createdAt) {
      const documents = list.map((notification) => {
        return { _id: notification.id, org: notification.org, notification, createdAt, toldAt: null };
      });
      await insertMissing(notices, documents);
    },
    async isAnyWaiting(ids) {
      const filter = { _id: { $in: [...ids] }, toldAt: null };
      return (await mongoCall(() => notices.findOne(filter, { projection: { _id: 1 } }))) !== null;
    },
    async firstWaiting(org) {
      const [first] = await mongoCall(() => notices.find(waitingOf(org)).sort(OLDEST_FIRST).limit(1).toArray());
      return first === undefined ? null : { id: first._id, createdAt: first.createdAt };
    },
    countWaiting: (org, most) => mongoCall(() => notices.countDocuments(waitingOf(org), { limit: most })),
    async listWaiting(org, most) {
      const projection = { 'notification.kind': 1, 'notification.urgency': 1, 'notification.only': 1 };
      const documents = await mongoCall(() =>
        notices.find(waitingOf(org), { projection }).sort(OLDEST_FIRST).limit(most).toArray(),
      );
      return documents.map((document) => {
        const { _id, notification } = readDocument('notice', waitingSchema, document);
        return { id: _id, ...notification };
      });
    },
    async read(ids) {
      const documents = await mongoCall(() => notices.find({ _id: { $in: [...ids] } }).toArray());
      const found = new Map(
        documents.map((document) => {
          const { _id, notification } = readDocument('notice', noticeSchema, document);
          return [_id, notification];
        }),
      );
      return ids.flatMap((id) => found.get(id) ?? []);
    },
    async keepRound(round) {
      const { id, ...fields } = round;
      await insertOnce(rounds, id, fields);
      return (await findRound(id)) ?? round;
    },
    findRound,
    async markTold(ids, at) {
      for (let from = 0; from < ids.length; from += MOST_IDS) {
        const filter = { _id: { $in: ids.slice(from, from + MOST_IDS) }, toldAt: null };
        await mongoCall(() => notices.updateMany(filter, { $set: { toldAt: at } }));
      }
    },
  };
}

function readRound(document: unknown): NoticeRound {
  const { _id, ...rest } = readDocument('round of notices', roundSchema, document);
  return { id: _id, ...rest };
}
