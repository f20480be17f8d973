import type { Clock } from '../../domain/clock.ts';
import { userBase } from '../../domain/databases/consumer.ts';
import { databaseUsers } from '../../domain/databases/database-name.ts';
import type { LetInDeps } from '../../domain/databases/let-in.ts';
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
  readonly rotation: Pick<LetInDeps, 'cipher' | 'mayConsume'> | null;
};

const DAY_MS = 86_400_000;

/**
 * Drops a database whose time has come, and whose final backup is stored and was restored for proof. Until then its org may
 * have the database again; one that cannot be backed up is kept for another day, and people are told. Idempotent: what is gone
 * stays gone.
 * @returns `backup first` where `backUpFinally` is to be asked before this is asked again
 * @throws UNAVAILABLE (retryable) while its server is away or is not configured any more
 */
export async function dropKeptDatabase(
  deps: DroppingDeps,
  { id, dropAfter, problem }: DropRequest,
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
  const saved = await findFinalBackup(deps, { record, server, problem: problem ?? null }, signal);
  if ('outcome' in saved) return saved.outcome;
  if (!(await records.startDropping(id, record.dropAfter))) return { kind: 'in use' };
  await server.drop(record.database, signal, () => isStillDropping(deps, { id, dropAfter }), record.generation);
  await restoreUsers(deps, record, server, databaseUsers(record.database));
  // Before the record goes, by which a killed attempt goes on.
  const event = { type: 'database.dropped', key: dropAfter, actor: 'schedule', data: saved };
  await tellOfDatabase(deps, record, event);
  await records.removeDropped(id, record.dropAfter);
  return { kind: 'dropped' };
}

/** Dropped by another worker while this one was paused, it may be another service's by now. */
async function isStillDropping({ records }: DroppingDeps, { id, dropAfter }: DropRequest): Promise<boolean> {
  const record = await records.find(id);
  return record?.state === 'dropping' && record.dropAfter?.toISOString() === dropAfter;
}

/** Takes the users of a login to another service's database away. Idempotent. */
async function endConsumer(
  deps: DroppingDeps,
  record: DatabaseRecord,
  server: DatabaseServer,
  signal: AbortSignal,
): Promise<DropOutcome> {
  const { records, audit } = deps;
  const { id, database, consumes, dropAfter } = record;
  if (dropAfter === null || !(await records.startDropping(id, dropAfter))) return { kind: 'in use' };
  const request = { id, dropAfter: dropAfter.toISOString() };
  const users = databaseUsers(userBase(record));
  await server.consumers?.dismiss(database, users, signal, () => isStillDropping(deps, request));
  await restoreUsers(deps, record, server, users);
  const data = { owner: consumes?.service ?? '', access: consumes?.access ?? '' };
  const event = { type: 'database.access_ended', key: request.dropAfter, actor: 'schedule', data };
  await tellOfDatabase({ audit }, record, event);
  await records.removeDropped(id, dropAfter);
  return { kind: 'dropped' };
}

/** By a worker that was paused they may have been taken away late, when the name is in use again: then the new ones come back. */
async function restoreUsers(
  { records, rotation }: Pick<DroppingDeps, 'records' | 'rotation'>,
  record: DatabaseRecord,
  server: DatabaseServer,
  users: readonly string[],
): Promise<void> {
  if (rotation === null || (await records.find(record.id))?.state !== 'active') return;
  for (const user of users) await settleUser({ records, ...rotation }, server, record, { user, login: null });
}

interface Meant {
  readonly record: DatabaseRecord;
  readonly server: DatabaseServer;
  /** Why there could be no final backup. */
  readonly problem: string | null;
}

/** @returns where the final backup is, for the ledger; or what came of it that there is none */
async function findFinalBackup(
  deps: DroppingDeps,
  { record, server, problem }: Meant,
  signal: AbortSignal,
): Promise<
  { readonly backupId: string | null; readonly objectKey: string | null } | { readonly outcome: DropOutcome }
> {
  const none = { backupId: null, objectKey: null };
  if (deps.finalBackup === null) return none;
  const isThere = (await server.list(signal)).some(({ database }) => database === record.database);
  // Somebody dropped it by hand.
  if (!isThere) return none;
  const backup = await deps.finalBackup.find(record);
  if (backup.kind === 'not backed up') return none;
  if (backup.kind === 'stored') return { backupId: backup.backupId, objectKey: backup.objectKey };
  // It was stored before, or the server would not be dropping it: what is left to drop is no whole database.
  if (record.state === 'dropping') return none;
  const reason = backup.kind === 'failed' ? backup.reason : problem;
  if (reason === null) return { outcome: { kind: 'backup first' } };
  return { outcome: await keepLonger(deps, record, reason) };
}

async function keepLonger(deps: DroppingDeps, record: DatabaseRecord, reason: string): Promise<DropOutcome> {
  const { id, service, environment, database, dropAfter } = record;
  const until = new Date(deps.now().getTime() + DAY_MS);
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
