import { type BackedUpDatabase, targetName } from '../../domain/backups/backup.ts';
import type { BackupsActivityDeps } from './deps.ts';

/** What the ledger is told of a backup or restore. */
export interface BackupEvent {
  /** Such as `backup.completed`. */
  readonly type: string;
  /** Of the backup, the restore, or the night: an event of one type and id is recorded once. */
  readonly id: string;
  readonly actor: string;
  readonly database: BackedUpDatabase;
  readonly org: string | null;
  readonly requestId: string | null;
  readonly data?: Readonly<Record<string, string | number | null>>;
}

/** Records an event. Idempotent: by its type and id. @throws UNAVAILABLE */
export async function auditBackup(
  { audit }: Pick<BackupsActivityDeps, 'audit'>,
  { type, id, actor, database, org, requestId, data = {} }: BackupEvent,
): Promise<void> {
  const { engine, databaseName, environment } = database;
  await audit?.record({
    id: `${type}/${id}`,
    type,
    actor,
    subject: targetName(database),
    // Empty where nobody owns the database any more.
    orgSlug: org || null,
    data: { id, engine, databaseName, environment, ...data },
    requestId,
    address: null,
    time: null,
  });
}
