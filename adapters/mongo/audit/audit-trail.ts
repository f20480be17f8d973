import type { Db, Filter } from 'mongodb';
import { isForwarded } from '../../../domain/audit/forwarded-types.ts';
import type { AuditTrail } from '../../../domain/audit/ports.ts';
import type { Clock } from '../../../domain/clock.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { type AuditDocument, auditDocument, readAuditEvent } from './audit-document.ts';
import { COLLECTIONS } from './indexes.ts';

/**
 * Audit events in MongoDB, in the database that has the changes they tell of: who cannot record an event reports its
 * change as failed.
 */
export function createAuditTrail(deps: { db: Db; now: Clock }): AuditTrail {
  const collection = deps.db.collection<AuditDocument>(COLLECTIONS.events);
  return {
    async record(event) {
      const { _id, ...fields } = auditDocument({ ...event, time: event.time ?? deps.now() });
      await insertOnce(collection, _id, isForwarded(event) ? { ...fields, toForward: true } : fields);
    },
    async list({ type, types, subject, orgSlug }, { cursor, limit }) {
      const before = decodeCursor(cursor, timeAndId);
      const filter = {
        ...(type === undefined ? {} : { type }),
        ...(types === undefined ? {} : { $and: [{ type: types }] }),
        ...(subject === undefined ? {} : { subject }),
        ...(orgSlug === undefined ? {} : { orgSlug }),
        ...olderThan('time', before),
      } as Filter<AuditDocument>;
      const documents = await mongoCall(() =>
        collection
          .find(filter)
          .sort({ time: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readAuditEvent), limit, (event) => [event.time.getTime(), event.id]);
    },
  };
}
