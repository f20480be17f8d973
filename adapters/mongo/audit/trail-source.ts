import type { Db, UpdateFilter } from 'mongodb';
import type { AuditEvent } from '../../../domain/audit/audit-event.ts';
import { type PendingEvent, pendingEvent } from '../../../domain/audit/pending-event.ts';
import type { LedgerSource } from '../../../domain/audit/ports.ts';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { mongoCall } from '../connect.ts';
import { type AuditDocument, readAuditEvent } from './audit-document.ts';
import { COLLECTIONS } from './indexes.ts';

export interface TrailSourceOptions {
  readonly db: Db;
  readonly now: Clock;
  /** Namespace of the events in the ledger. */
  readonly namespace: string;
  /** Told once of a document that cannot be read as an event. */
  readonly onUnreadable: (id: string, error: unknown) => void;
}

/** More unreadable documents than this are no accident. */
const MOST_UNREADABLE = 100;

/**
 * The audit trail as a source: what is to be told carries the mark `toForward` until it was, and `refused` says why the
 * ledger does not take it. A document that this version cannot read holds nothing up and stays marked, since a newer
 * version may have written it, which can.
 */
export function createTrailSource({ db, now, namespace, onUnreadable }: TrailSourceOptions): LedgerSource {
  const collection = db.collection<AuditDocument>(COLLECTIONS.events);
  const unreadable = new Set<string>();

  async function unmark(id: string, update: UpdateFilter<AuditDocument> = {}): Promise<void> {
    const filter = { _id: id, toForward: true } as const;
    await mongoCall(() => collection.updateOne(filter, { $unset: { toForward: true }, ...update }));
  }
  function read(document: AuditDocument): AuditEvent | null {
    try {
      return readAuditEvent(document);
    } catch (error) {
      unreadable.add(document._id);
      onUnreadable(document._id, error);
      return null;
    }
  }
  return {
    async readNext(limit) {
      const events: PendingEvent[] = [];
      let more = true;
      while (more && events.length === 0) {
        if (unreadable.size > MOST_UNREADABLE) throw tooManyUnreadable();
        const filter = { toForward: true, _id: { $nin: [...unreadable] } } as const;
        const documents = await mongoCall(() =>
          collection.find(filter).sort({ time: 1, _id: 1 }).limit(limit).toArray(),
        );
        for (const document of documents) {
          const event = read(document);
          if (event !== null) events.push(pendingEvent(event, namespace));
        }
        more = documents.length === limit;
      }
      return events;
    },
    markDelivered: ({ key }) => unmark(key),
    markRefused: ({ key }, { code, message }) => unmark(key, { $set: { refused: { code, message, at: now() } } }),
  };
}

/** How many events wait for the ledger; `MOST_COUNTED` where there are more. @throws UNAVAILABLE */
export async function countUntold(db: Db): Promise<number> {
  const events = db.collection<AuditDocument>(COLLECTIONS.events);
  return await mongoCall(() => events.countDocuments({ toForward: true }, { limit: MOST_COUNTED }));
}

const MOST_COUNTED = 100_000;

function tooManyUnreadable(): FairleadError {
  const text = `More than ${MOST_UNREADABLE} audit events cannot be read: a newer version may have written them`;
  return new FairleadError('UNAVAILABLE', text, { retryable: true });
}
