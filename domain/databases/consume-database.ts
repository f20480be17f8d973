import { FairleadError } from '../errors.ts';
import type { ClaimDeps, DatabaseOwner } from './claim-database.ts';
import { type ConsumedDatabase, consumerId, userBase } from './consumer.ts';
import { databaseName, nextUser } from './database-name.ts';
import { type EndConsumerDeps, endConsumer } from './end-consumer.ts';
import { letIn } from './let-in.ts';
import { openLogin, sealLogin } from './login.ts';
import type { DatabaseServer, MayConsume } from './ports.ts';
import { type DatabaseRecord, databaseId } from './record.ts';
import { settleUser } from './settle-user.ts';

export type ConsumeDeps = ClaimDeps & Pick<EndConsumerDeps, 'commands'> & { readonly mayConsume: MayConsume };

/**
 * Gives a service a login of its own to the database of another one, while it may have one. Idempotent: one write decides the
 * password; a redeploy keeps it. Whoever takes the right away ends the logins that are on record by then, and what comes on
 * record later is looked at here, so that no order of the two leaves one.
 * @param signal also of the statements on the server
 * @returns null where the other service has no such database in the environment of the consumer, or nothing allows it
 * @throws CONFLICT (retryable) while an earlier login of the same kind is being ended; as `DatabaseServer.ensure`
 */
export async function consumeDatabase(
  deps: ConsumeDeps,
  server: DatabaseServer,
  { from, by }: { readonly from: ConsumedDatabase; readonly by: DatabaseOwner },
  signal: AbortSignal,
): Promise<{ readonly database: string } | null> {
  const { records } = deps;
  const owned = await ownDatabase(deps, from, by);
  if (owned === null) return null;
  const { id } = await records.claim(newConsumer(deps, { from, by }, owned));
  const record = await records.give(id);
  if (record === null || record.serviceId !== by.serviceId || record.consumes?.serviceId !== from.serviceId) {
    const text = `The login of ${by.service} to ${owned.database} is being ended: it gets another one then.`;
    throw new FairleadError('CONFLICT', text, { retryable: true });
  }
  const stored = await readable(deps, record);
  if (await deps.mayConsume(stored)) {
    await letIn(deps, server, stored, stored.login, signal);
    await settleUser(deps, server, stored, { user: stored.login.user, login: stored.login });
    // Who removes the other service, or revokes a grant, ends the logins that are there by then.
    const isThere = (await ownDatabase(deps, from, by)) !== null && (await deps.mayConsume(stored));
    if (isThere) return { database: owned.database };
  }
  await endConsumer(deps, stored);
  return null;
}

/** Null for one that is not there, or is kept, or is another service's by now. */
async function ownDatabase(
  { records }: Pick<ConsumeDeps, 'records'>,
  { engine, service, serviceId }: ConsumedDatabase,
  { environment }: DatabaseOwner,
): Promise<DatabaseRecord | null> {
  const record = await records.find(databaseId(engine, databaseName({ service, environment })));
  return record?.state === 'active' && record.serviceId === serviceId && record.consumes === null ? record : null;
}

/** A password that no key of the installation opens gets a successor. */
async function readable(deps: ConsumeDeps, record: DatabaseRecord): Promise<DatabaseRecord> {
  try {
    openLogin(deps.cipher, record, record.login);
    return record;
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'INTERNAL') throw error;
  }
  const login = sealLogin(deps.cipher, record, { user: record.login.user, password: deps.newPassword() }, deps.now());
  if (await deps.records.replaceLogin(record.id, record.login, login)) return { ...record, login };
  throw new FairleadError('CONFLICT', `The login ${record.login.user} is being changed by others.`, {
    retryable: true,
  });
}

function newConsumer(
  deps: ConsumeDeps,
  { from, by }: { readonly from: ConsumedDatabase; readonly by: DatabaseOwner },
  owned: Pick<DatabaseRecord, 'database' | 'generation'>,
): DatabaseRecord {
  const { database } = owned;
  const { engine, access } = from;
  const { service, environment, serviceId, org } = by;
  const id = consumerId(engine, database, { serviceId, access });
  const consumes = { service: from.service, serviceId: from.serviceId, access };
  const login = { user: nextUser(userBase({ id, database, consumes }), null), password: deps.newPassword() };
  const now = deps.now();
  return {
    ...{ id, engine, database, serviceId, service, environment, org, consumes, earlierServiceIds: [] },
    ...{ generation: owned.generation, waits: null, keptBytes: null },
    ...{ state: 'active', dropAfter: null, next: null, retiring: null, retired: null, mark: null, given: 0 },
    createdAt: now,
    login: sealLogin(deps.cipher, { service, environment, engine }, login, now),
  };
}
