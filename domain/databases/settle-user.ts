import { isSameLogin } from './claim-database.ts';
import { type LetInDeps, letIn } from './let-in.ts';
import type { DatabaseServer } from './ports.ts';
import type { DatabaseRecord, StoredLogin } from './record.ts';

/** What a server was told of a user: to let it in with a login, or no more. */
export interface ToldOfUser {
  readonly user: string;
  /** As the record had it; null for a user that was withdrawn. */
  readonly login: StoredLogin | null;
}

const PATIENCE_MS = 60_000;

/**
 * Looks at the record once more after a server was told of a user by what the record said before. A worker that was paused
 * in between tells it late, when the user may have its turn again or have been ended: then the server is told what the
 * record says now. It waits for no caller, whose attempt is over by then.
 * @throws as `DatabaseServer.ensure`; INTERNAL for a login that no key opens
 */
export async function settleUser(
  deps: LetInDeps,
  server: Pick<DatabaseServer, 'ensure' | 'consumers' | 'withdraw'>,
  { id, database }: Pick<DatabaseRecord, 'id' | 'database'>,
  told: ToldOfUser,
): Promise<void> {
  const record = await deps.records.find(id);
  const { login = null, next = null, retired = null, retiring = null } = record ?? {};
  const logins = told.login === null ? [login, next] : [login, next, retired];
  const meant = logins.find((one) => one?.user === told.user) ?? null;
  const always = AbortSignal.timeout(PATIENCE_MS);
  if (record !== null && meant !== null) {
    if (told.login !== null && isSameLogin(meant, told.login)) return;
    await letIn(deps, server, record, meant, always);
  } else if (told.login !== null && retiring !== told.user) await server.withdraw(database, told.user, always);
}
