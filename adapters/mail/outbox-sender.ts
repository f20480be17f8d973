import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import { type CapturedMail, MAIL_KINDS, NOTICE_KINDS } from '../../domain/identity/mail.ts';
import type { MailSender } from '../../domain/identity/ports.ts';
import { insertOnce, mongoCall } from '../mongo/connect.ts';
import { checkRecipient } from './check-recipient.ts';

export const OUTBOX_COLLECTION = 'outbox';

/** Mail that is kept; older ones go. */
export const OUTBOX_SIZE = 200;

interface MailDocument {
  readonly _id: string;
  readonly capturedAt: Date;
  readonly [field: string]: unknown;
}

const schema = z.object({
  _id: z.string(),
  kind: z.enum([...MAIL_KINDS, ...NOTICE_KINDS]),
  to: z.string(),
  fromName: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  capturedAt: z.date(),
});

/** Keeps mail instead of sending it, for installations without a mail server. A mail of one id is kept once. */
export function createOutboxSender({ db, now }: { db: Db; now: Clock }): MailSender {
  const collection = db.collection<MailDocument>(OUTBOX_COLLECTION);
  const newest = { capturedAt: -1, _id: -1 } as const;
  return {
    async send({ id, ...mail }) {
      checkRecipient(mail.to);
      await insertOnce(collection, id, { ...mail, capturedAt: now() });
      const surplus = await mongoCall(() =>
        collection
          .find({}, { projection: { _id: 1 } })
          .sort(newest)
          .skip(OUTBOX_SIZE)
          .limit(OUTBOX_SIZE)
          .toArray(),
      );
      if (surplus.length === 0) return;
      await mongoCall(() => collection.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } }));
    },
    outbox: {
      async list(limit) {
        const documents = await mongoCall(() => collection.find({}).sort(newest).limit(limit).toArray());
        return documents.map(readMail);
      },
      async find(id) {
        const document = await mongoCall(() => collection.findOne({ _id: id }));
        return document === null ? null : readMail(document);
      },
    },
  };
}

function readMail(document: unknown): CapturedMail {
  const { _id, ...mail } = schema.parse(document);
  return { id: _id, ...mail };
}
