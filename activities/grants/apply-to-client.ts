import type { ServiceStore } from '../../domain/catalog/ports.ts';
import { isDatabaseScope } from '../../domain/databases/consumer.ts';
import { endConsumersOf, scopeOfConsumer } from '../../domain/databases/end-consumer.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type Grant, type GrantKey, type GrantParty, partyOf } from '../../domain/grants/grant.ts';
import { hasScopesOf } from '../../domain/oauth-clients/derive-client.ts';
import { serviceClientId } from '../../domain/oauth-clients/ownership.ts';
import type { GrantsDeps } from './deps.ts';

type Deps = Pick<GrantsDeps, 'grants' | 'services' | 'clients' | 'databaseLogins'>;

const GIVE_WITHIN_MS = 20_000;

/**
 * Makes the client of a grant's holder agree with the record: gives it the granted scopes, or takes all scopes of the
 * target from it. What is given is looked at once more afterwards, since a service may be removed meanwhile.
 * @throws UNAVAILABLE
 */
export async function applyToClient(deps: Deps, key: GrantKey): Promise<void> {
  const grant = await standing(deps, key);
  if (grant === 'never approved') return;
  // First: it waits for no identity provider.
  await endLogins(deps, key, grant?.granted ?? []);
  if (grant === null) return await take(deps, key);
  await give(deps, grant);
  const after = await deps.grants.findFor(key);
  if (after?.revision !== grant.revision || (await standing(deps, key)) === null) await applyToClient(deps, key);
}

/**
 * The grant while it is approved and both of its services are there; null when nothing of it may stay. One that was never
 * approved gave nothing: then the client keeps what a platform admin gave it.
 */
async function standing({ grants, services }: Deps, key: GrantKey): Promise<Grant | 'never approved' | null> {
  const grant = await grants.findFor(key);
  if (grant?.wasApproved === false) return 'never approved';
  if (grant?.status !== 'approved') return null;
  const there = await Promise.all([isThere(services, grant.holder), isThere(services, grant.target)]);
  return there.every(Boolean) ? grant : null;
}

async function isThere(services: Pick<ServiceStore, 'findConfirmed'>, { serviceId }: GrantParty): Promise<boolean> {
  const service = await services.findConfirmed(serviceId);
  return service !== null && service.removingSince === null;
}

/** A client that is not there yet is made by a deploy, which applies the grant then. */
async function give({ clients }: Deps, { holder, environment, granted }: Grant): Promise<void> {
  // Databases are no business of the client.
  const scopes = granted.filter((scope) => !isDatabaseScope(scope));
  if (scopes.length === 0) return;
  const additions = { redirectUris: [], scopes, grantTypes: [] };
  const request = { service: holder.name, environment, orgSlug: holder.org, ...additions, create: false };
  try {
    await clients.provision(request, AbortSignal.timeout(GIVE_WITHIN_MS));
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'CLIENT_NOT_FOUND') throw error;
  }
}

/** Ends the holder's logins to databases of the target that nothing allows any more. */
async function endLogins(
  { databaseLogins, services }: Deps,
  { holder, environment, target }: GrantKey,
  granted: readonly string[],
): Promise<void> {
  const owner = await services.findConfirmed(target.serviceId);
  await endConsumersOf(databaseLogins, target.serviceId, (record) => {
    if (record.serviceId !== holder.serviceId || record.environment !== environment) return false;
    if (owner !== null && hasScopesOf(owner, record.org)) return false;
    return !granted.includes(scopeOfConsumer(record));
  });
}

/**
 * Takes all scopes of the target from the client, by their names: services that took these names meanwhile must not have
 * them by this grant. What they have by a grant of their own is given again, and what needs no grant is left to deploys.
 */
async function take(deps: Deps, key: GrantKey): Promise<void> {
  const { holder, environment, target } = key;
  const current = await laterServices(deps.services, key);
  if (current?.needsGrant === false) return;
  const clientId = serviceClientId(holder.name, environment);
  await deps.clients.revokeScopes({ service: target.name, clientId, reason: 'grant ended' }, { actor: 'internal' });
  if (current !== null) await applyToClient(deps, current.key);
}

/** The services that have the names by now; null when they are those of the grant, or one name is free. */
async function laterServices(services: Pick<ServiceStore, 'findConfirmed'>, { holder, environment, target }: GrantKey) {
  const [asking, asked] = await Promise.all([holder, target].map(({ name }) => services.findConfirmed(name)));
  if (asking?.name !== holder.name || asked?.name !== target.name) return null;
  if (asking.id === holder.serviceId && asked.id === target.serviceId) return null;
  const needsGrant = !hasScopesOf(asked, asking.org);
  return { key: { holder: partyOf(asking), environment, target: partyOf(asked) }, needsGrant };
}
