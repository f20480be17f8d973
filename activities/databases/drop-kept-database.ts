import type { Clock } from '../../domain/clock.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import { userBase } from '../../domain/databases/consumer.ts';
import { databaseUsers } from '../../domain/databases/database-name.ts';
import type { DropOutcome, DropRequest } from '../../domain/databases/messages.ts';
import type { DatabaseServer } from '../../domain/databases/ports.ts';
import type { DatabaseRecord } from '../../domain/databases/record.ts';
import { settleUser } from '../../domain/databases/settle-user.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DatabasesDeps } from './deps.ts';
import { tellOfDatabase } from './tell-of-database.ts';

export type DroppingDeps = DatabasesDeps & {
  readonly now: Clock;
  /** Null without the keys of stored secrets. */
  readonly rotation: { readonly cipher: SecretCipher } | null;
};

const DAY_MS = 86_400_000;
/** Something else has the database: soon it has not. */
const BUSY: readonly string[] = ['BACKUP_IN_PROGRESS', 'RESTORE_IN_PROGRESS'];

/**
 * Drops a database whose time has come, after its final backup. Until that is stored its org may have the database again; one
 * that cannot be backed up is kept for another day, and people are told. Idempotent: what is gone stays gone.
 * @throws UNAVAILABLE (retryable) while its server is away or is not configured any more, or something else has the database
 */
export async function dropKeptDatabase(
  deps: DroppingDeps,
  { id, dropAfter }: DropRequest,
  signal: AbortSignal,
): Promise<DropOutcome> {
  const { records, servers } = deps;
  const record = await records.find(id);
  if (record === null) return { kind: 'dropped' };
  if (record.state === 'active' || record.dropAfter === null) return { kind: 'in use' };
  if (record.dropAfter.toISOString() !== dropAfter) return { kind: 'kept', dropAfter: record.dropAfter.toISOString() };
  const server = servers[record.engine];
  if (server === undefined) {
    const text = `The database ${record.database} is dropped once its server is configured again.`;
    throw new FairleadError('UNAVAILABLE', text, { retryable: true });
  }
  if (record.consumes !== null) return await endConsumer(deps, record, server, signal);
  const saved = await backUpFinally(deps, record, server, signal);
  if ('postponed' in saved) return saved.postponed;
  if (!(await records.startDropping(id, record.dropAfter))) return { kind: 'in use' };
  // By a worker that was paused since, it may have been dropped already, and be another service's by now.
  const isMeant = async (): Promise<boolean> => {
    const now = await records.find(id);
    return now?.state === 'dropping' && now.dropAfter?.toISOString() === dropAfter;
  };
  await server.drop(record.database, signal, isMeant);
  // Before the record goes, by which a killed attempt goes on.
  const event = { type: 'database.dropped', key: dropAfter, actor: 'schedule', data: saved };
  await tellOfDatabase(deps, record, event);
  await records.removeDropped(id);
  return { kind: 'dropped' };
}

/** Takes the users of a login to another service's database away. Idempotent. */
async function endConsumer(
  { records, rotation, audit }: DroppingDeps,
  record: DatabaseRecord,
  server: DatabaseServer,
  signal: AbortSignal,
): Promise<DropOutcome> {
  const { id, database, consumes, dropAfter } = record;
  if (dropAfter === null || !(await records.startDropping(id, dropAfter))) return { kind: 'in use' };
  const users = databaseUsers(userBase(record));
  await server.consumers?.dismiss(database, users, signal);
  if (rotation !== null && (await records.find(id))?.state === 'active') {
    // By a worker that was paused since, it may have been ended already, and its service have another one by now.
    for (const user of users) await settleUser({ records, ...rotation }, server, record, { user, login: null });
  }
  const data = { owner: consumes?.service ?? '', access: consumes?.access ?? '' };
  const event = { type: 'database.access_ended', key: dropAfter.toISOString(), actor: 'schedule', data };
  await tellOfDatabase({ audit }, record, event);
  await records.removeDropped(id);
  return { kind: 'dropped' };
}

/** @returns where the final backup is, for the ledger; or that the database is kept for longer */
async function backUpFinally(
  deps: DroppingDeps,
  record: DatabaseRecord,
  server: DatabaseServer,
  signal: AbortSignal,
): Promise<
  { readonly backupId: string | null; readonly objectKey: string | null } | { readonly postponed: DropOutcome }
> {
  const none = { backupId: null, objectKey: null };
  if (deps.finalBackup === null) return none;
  const isThere = (await server.list(signal)).some(({ database }) => database === record.database);
  // Somebody dropped it by hand.
  if (!isThere) return none;
  try {
    return (await deps.finalBackup(record, signal)) ?? none;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FairleadError && BUSY.includes(error.code)) {
      throw new FairleadError('UNAVAILABLE', error.message, { retryable: true, cause: error });
    }
    // It was stored before, or the server would not be dropping it: what is left to drop is no whole database.
    if (record.state === 'dropping') return none;
    return { postponed: await keepLonger(deps, record, error) };
  }
}

async function keepLonger(deps: DroppingDeps, record: DatabaseRecord, error: unknown): Promise<DropOutcome> {
  const { id, service, environment, database, dropAfter } = record;
  const until = new Date(deps.now().getTime() + DAY_MS);
  const reason = error instanceof FairleadError ? error.message : 'unexpected error; see the log of the worker';
  const type = 'database.drop_postponed';
  const key = dropAfter?.toISOString() ?? '';
  await tellOfDatabase(deps, record, { type, key, actor: 'schedule', data: { reason } });
  const text = [
    `${service} was removed from ${environment}. Its database ${id} is dropped after a final backup, and there is none: ${reason}`,
    '',
    `The database ${database} is kept until ${until.toISOString()}, and then the backup is tried again.`,
    '',
    'What to do: docs/databases.md, "Removing a service"',
  ];
  const subject = `${id} is kept: it could not be backed up`;
  await deps.raiseAlarm({ id: `${type}/${id}/${key}`, subject, text: text.join('\n') });
  if (dropAfter === null || !(await deps.records.keepLonger(id, dropAfter, until))) return { kind: 'in use' };
  return { kind: 'kept', dropAfter: until.toISOString() };
}
