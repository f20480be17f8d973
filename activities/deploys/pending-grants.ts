import type { Catalog } from '../../domain/catalog/catalog.ts';
import type { ScopeGrant, ServiceRecord } from '../../domain/catalog/service.ts';
import type { Environment } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { hasScopesOf } from '../../domain/oauth-clients/derive-client.ts';
import { serviceClientId } from '../../domain/oauth-clients/ownership.ts';
import { beginsPlatformScopes } from '../../domain/oauth-clients/platform-scopes.ts';
import type { DeploysDeps } from './deps.ts';
import type { StepContext } from './step.ts';

type Deps = Pick<DeploysDeps, 'services' | 'clients'>;

interface Holder {
  readonly service: Pick<ServiceRecord, 'id' | 'name' | 'org'>;
  readonly environment: Environment;
}

/** The services that the catalog depends on, those that exist. What is being removed grants nothing any more. */
export async function targetsOf(
  { services }: Pick<Deps, 'services'>,
  { dependencies }: Pick<Catalog, 'dependencies'>,
): Promise<readonly ServiceRecord[]> {
  const targets: ServiceRecord[] = [];
  for (const name of new Set(dependencies.map(({ service }) => service))) {
    const target = await services.find(name);
    if (target !== null && target.name === name && target.removingSince === null) targets.push(target);
  }
  return targets;
}

/** The services that scopes are of. */
export function grantsOf(scopes: readonly string[], targets: readonly ScopeGrant[]): readonly ScopeGrant[] {
  return targets
    .filter(({ name }) => !beginsPlatformScopes(name) && scopes.some((scope) => scope.startsWith(`${name}:`)))
    .map(({ id, name }) => ({ id, name }));
}

/**
 * Lets `work` give the client of a service scopes of other services, so that it keeps none of a service that is gone, which
 * a later service of that name would take for its own. A removal marks its service, then takes its scopes from all clients;
 * a scope that is given after that is taken back here, where the mark, or the end of the service, is seen after the work.
 * What is about to be given is noted before, for the next attempt or deploy, should this one end in between. The mark is read
 * as a majority of the database has it: one that a failover hid would leave the scopes for good.
 */
export async function whileGranting(
  deps: Deps,
  holder: Holder,
  grants: readonly ScopeGrant[],
  work: () => Promise<void>,
): Promise<void> {
  if (grants.length > 0) await note(deps, holder, (noted) => [...without(noted, grants), ...grants]);
  try {
    await work();
  } finally {
    // Also after a failure: the provider may have carried out what it has not answered.
    await settle(deps, holder, grants);
  }
}

/** Settles what an attempt or deploy before this one left; while the provider is away, the next one does. */
export async function settleEarlierGrants(
  deps: Deps,
  { build, warn }: Pick<StepContext, 'build' | 'warn'>,
  service: ServiceRecord,
): Promise<void> {
  const { environment } = build;
  try {
    await settle(deps, { service, environment }, service.pendingGrants[environment] ?? []);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.system !== 'identity-provider') throw error;
    warn(`${error.message} Scopes of services that were removed are taken back by the next deploy.`);
  }
}

/**
 * Takes the scopes of those that are gone by now, or whose org took this one out, from the client, and notes none of all
 * any more. What a grant gives, the step of scope grants gives again.
 */
async function settle(deps: Deps, holder: Holder, grants: readonly ScopeGrant[]): Promise<void> {
  if (grants.length === 0 || deps.clients === null) return;
  const clientId = serviceClientId(holder.service.name, holder.environment);
  for (const { id, name } of grants) {
    const target = await deps.services.findConfirmed(id);
    if (target !== null && target.removingSince === null && hasScopesOf(target, holder.service.org)) continue;
    await deps.clients.revokeScopes({ service: name, clientId }, { actor: 'internal' });
  }
  await note(deps, holder, (noted) => without(noted, grants));
}

async function note(
  { services }: Deps,
  { service, environment }: Holder,
  change: (noted: readonly ScopeGrant[]) => readonly ScopeGrant[],
): Promise<void> {
  const noted = (await services.findConfirmed(service.id))?.pendingGrants[environment] ?? [];
  await services.setPendingGrants(service.id, environment, change(noted));
}

function without(noted: readonly ScopeGrant[], grants: readonly ScopeGrant[]): readonly ScopeGrant[] {
  return noted.filter(({ id }) => !grants.some((grant) => grant.id === id));
}
