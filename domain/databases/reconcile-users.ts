import { type LetInDeps, letIn } from './let-in.ts';
import type { DatabaseRecords, DatabaseServer, ListedUser } from './ports.ts';
import { type DatabaseRecord, databaseId } from './record.ts';
import { settleUser } from './settle-user.ts';

export interface ReconcileDeps extends LetInDeps {
  readonly records: Pick<DatabaseRecords, 'find' | 'list'>;
}

const PAGE = 100;

/**
 * Makes the users of a server those of the records: lets in what it has forgotten, and takes away what it got back, such as
 * by a crash before its file of users was on disk, or with an old snapshot. Idempotent: sets states. Does nothing on a server
 * that keeps users with its data.
 * @param trustsListed whether users that the server lists have the passwords of the records: it is not told of each then
 * @throws as `DatabaseServer.ensure`; INTERNAL for a login that no key opens
 */
export async function reconcileUsers(
  deps: ReconcileDeps,
  server: DatabaseServer,
  signal: AbortSignal,
  { trustsListed = false }: { readonly trustsListed?: boolean } = {},
): Promise<void> {
  if (server.users === undefined) return;
  const listed = await server.users(signal);
  for (const one of listed) await withdrawStale(deps, server, one, signal);
  const there = new Set(trustsListed ? listed.map(({ user }) => user) : []);
  const failures: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page = await deps.records.list({ cursor, limit: PAGE });
    for (const record of page.items) {
      if (record.engine !== server.engine || record.state !== 'active') continue;
      await restore(deps, server, { record, there }, signal).catch((error) => failures.push(error));
      signal.throwIfAborted();
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  // One that fails holds no other up.
  if (failures.length > 0) throw failures[0];
}

/**
 * Takes away the users of one database that its record does not have, which a server got back. Idempotent.
 * @throws as `DatabaseServer.withdraw`
 */
export async function withdrawStaleUsers(
  deps: LetInDeps,
  server: DatabaseServer,
  database: string,
  signal: AbortSignal,
): Promise<void> {
  for (const listed of (await server.users?.(signal)) ?? []) {
    if (listed.database === database) await withdrawStale(deps, server, listed, signal);
  }
}

async function withdrawStale(
  deps: LetInDeps,
  server: DatabaseServer,
  { database, user, generation }: ListedUser,
  signal: AbortSignal,
): Promise<void> {
  const id = databaseId(server.engine, database);
  const record = await deps.records.find(id);
  const logins = [record?.login, record?.next].map((login) => login?.user);
  if (record?.generation === generation && (logins.includes(user) || record.retiring === user)) return;
  await server.withdraw(database, user, signal);
  // It may have its turn since the record was read.
  await settleUser(deps, server, { id, database }, { user, login: null });
}

async function restore(
  deps: ReconcileDeps,
  server: DatabaseServer,
  { record, there }: { readonly record: DatabaseRecord; readonly there: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<void> {
  for (const stored of [record.login, record.next, record.retired]) {
    if (stored === null || there.has(stored.user)) continue;
    await letIn(deps, server, record, stored, signal);
    await settleUser(deps, server, record, { user: stored.user, login: stored });
  }
}
