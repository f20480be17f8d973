import type { SharedWith } from '../../domain/authorized-orgs/messages.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { endConsumersOf, scopeOfConsumer } from '../../domain/databases/end-consumer.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { partyOf } from '../../domain/grants/grant.ts';
import type { ClientView } from '../../domain/oauth-clients/client-schema.ts';
import { hasScopesOf } from '../../domain/oauth-clients/derive-client.ts';
import { serviceClientId } from '../../domain/oauth-clients/ownership.ts';
import { beginsPlatformScopes } from '../../domain/oauth-clients/platform-scopes.ts';
import type { SharingDeps } from './deps.ts';

type Deps = Pick<SharingDeps, 'services' | 'clients' | 'databaseLogins' | 'grants' | 'grantCommands'>;

const PAGE = 100;

/**
 * Takes the scopes of a service from the clients of an org's services that is not authorized for it any more: these had
 * them without a grant, as the owner's have. Their access tokens are void at once. What an approved grant gives is given
 * again. A client that no service has was made by hand, and keeps what a platform admin gave it.
 * @throws UNAVAILABLE
 */
export async function takeScopes(deps: Deps, { serviceId, org }: SharedWith): Promise<void> {
  const target = await deps.services.findConfirmed(serviceId);
  // Of a service that is removed, the removal takes them from all.
  if (target === null || hasScopesOf(target, org) || beginsPlatformScopes(target.name)) return;
  await endLogins(deps, target, org);
  let cursor: string | null = null;
  do {
    const page = await deps.clients.list({ orgSlug: org, clientIds: [] }, { cursor, limit: PAGE });
    for (const client of page.items) {
      if (client.allowedScopes.some((scope) => scope.startsWith(`${target.name}:`))) await take(deps, target, client);
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** Ends the logins of that org's services to databases of this one, but for those that a grant allows. */
async function endLogins(deps: Deps, target: ServiceRecord, org: string): Promise<void> {
  const granted = new Set<string>();
  for (const record of await deps.databaseLogins.records.consumersOf(target.id)) {
    const { service: name, serviceId, environment } = record;
    const key = { holder: { serviceId, name, org: record.org }, environment, target: partyOf(target) };
    const grant = record.org === org ? await deps.grants.findFor(key) : null;
    if (grant?.status === 'approved' && grant.granted.includes(scopeOfConsumer(record))) granted.add(record.id);
  }
  await endConsumersOf(deps.databaseLogins, target.id, (record) => record.org === org && !granted.has(record.id));
}

async function take(deps: Deps, target: ServiceRecord, { clientId, service }: ClientView): Promise<void> {
  if (service === null) return;
  await deps.clients.revokeScopes(
    { service: target.name, clientId, reason: 'org no longer authorized' },
    { actor: 'internal' },
  );
  const holder = await deps.services.findConfirmed(service);
  const environment = ENVIRONMENTS.find((each) => serviceClientId(service, each) === clientId);
  if (holder === null || environment === undefined) return;
  const key = { holder: partyOf(holder), environment, target: partyOf(target) };
  if ((await deps.grants.findFor(key))?.status === 'approved') await deps.grantCommands.apply(key);
}
