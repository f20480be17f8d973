import type { SecretCipher } from '../config/ports.ts';
import { FairleadError } from '../errors.ts';
import { isSameLogin } from './claim-database.ts';
import { ENGINES } from './engines.ts';
import { openLogin } from './login.ts';
import type { DatabaseRecords, DatabaseServer, MayConsume } from './ports.ts';
import type { DatabaseRecord, StoredLogin } from './record.ts';

export interface LetInDeps {
  readonly records: Pick<DatabaseRecords, 'find'>;
  readonly cipher: SecretCipher;
  readonly mayConsume: MayConsume;
}

/**
 * Has a server accept a login of a record, as the service's own or beside it. Who is beside it is let in only while the
 * record has that login and it may be there, which is asked when no other call for the database runs: what is ended before is
 * not let in late, and what is ended after is taken away after.
 * @throws as `DatabaseServer.ensure`; INTERNAL for a login that no key opens
 */
export async function letIn(
  deps: LetInDeps,
  server: Pick<DatabaseServer, 'ensure' | 'consumers'>,
  record: DatabaseRecord,
  stored: StoredLogin,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { database, engine, generation, consumes } = record;
  const login = openLogin(deps.cipher, record, stored);
  if (consumes === null) return await server.ensure(database, login, signal, generation);
  if (server.consumers === undefined) {
    throw new FairleadError('UNAVAILABLE', `${ENGINES[engine].title} databases have one service each.`);
  }
  await server.consumers.admit(database, login, consumes.access, signal, () => isMeant(deps, record.id, stored));
  return [];
}

async function isMeant({ records, mayConsume }: LetInDeps, id: string, stored: StoredLogin): Promise<boolean> {
  const record = await records.find(id);
  if (record?.state !== 'active') return false;
  const logins = [record.login, record.next, record.retired];
  if (!logins.some((one) => one !== null && isSameLogin(one, stored))) return false;
  return await mayConsume(record);
}
