import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import type { DatabaseRecord } from '../../domain/databases/record.ts';
import type { DatabasesDeps } from './deps.ts';

/** Something that was done to a database. */
export interface DatabaseEvent {
  readonly type: string;
  /** Tells this event apart from others of its type and database; the same for whoever repeats the work. */
  readonly key: string;
  readonly actor: string;
  readonly data?: AuditEvent['data'];
}

/** Records an event, which the org that owns the database reads. Idempotent: by type, database and key. @throws UNAVAILABLE */
export async function tellOfDatabase(
  { audit }: Pick<DatabasesDeps, 'audit'>,
  { id, engine, database, service, environment, org }: DatabaseRecord,
  { type, key, actor, data = {} }: DatabaseEvent,
): Promise<void> {
  await audit?.record({
    ...{ id: `${type}/${id}/${key}`, type, actor, subject: service, orgSlug: org },
    data: { engine, databaseName: database, environment, ...data },
    ...{ requestId: null, address: null, time: null },
  });
}
