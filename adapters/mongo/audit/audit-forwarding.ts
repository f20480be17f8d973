import type { Db } from 'mongodb';
import type { AuditForwarding } from '../../../domain/audit/ports.ts';
import { mongoCall } from '../connect.ts';
import { type AuditDocument, readAuditEvent } from './audit-document.ts';
import { COLLECTIONS } from './indexes.ts';

/** The audit trail as an outbox: what is to be told carries a mark until it was. */
export function createAuditForwarding({ db }: { db: Db }): AuditForwarding {
  const collection = db.collection<AuditDocument>(COLLECTIONS.events);
  return {
    async pending(limit) {
      const documents = await mongoCall(() =>
        collection.find({ toForward: true }).sort({ time: 1, _id: 1 }).limit(limit).toArray(),
      );
      return documents.map(readAuditEvent);
    },
    async forwarded(id) {
      await mongoCall(() => collection.updateOne({ _id: id }, { $unset: { toForward: true } }));
    },
  };
}
