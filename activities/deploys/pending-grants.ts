import type { Catalog } from '../../domain/catalog/catalog.ts';
import type { ScopeGrant, ServiceRecord } from '../../domain/catalog/service.ts';
import { hasScopesOf } from '../../domain/oauth-clients/derive-client.ts';
import { serviceClientId } from '../../domain/oauth-clients/ownership.ts';
import { beginsPlatformScopes } from '../../domain/oauth-clients/platform-scopes.ts';
import type { DeploysDeps } from './deps.ts';
import { type GiftHolder, type Gifts, settleEarlier, whileGiving } from './noted-gifts.ts';
import type { StepContext } from './step.ts';

type Deps = Pick<DeploysDeps, 'services' | 'clients'>;

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
export async function whileGranting<T>(
  deps: Deps,
  holder: GiftHolder,
  grants: readonly ScopeGrant[],
  work: () => Promise<T>,
): Promise<T> {
  return await whileGiving(scopesOf(deps), holder, grants, work);
}

/** Settles what an attempt or deploy before this one left; while the provider is away, the next one does. */
export async function settleEarlierGrants(
  deps: Deps,
  context: Pick<StepContext, 'build' | 'warn'>,
  service: ServiceRecord,
): Promise<void> {
  await settleEarlier(scopesOf(deps), context, service);
}

/**
 * The scopes of those that are gone by now, or whose org took this one out, are taken back. What a grant gives, the step of
 * scope grants gives again.
 */
function scopesOf({ services, clients }: Deps): Gifts<ScopeGrant> {
  return {
    services,
    notedWith: ({ pendingGrants }) => pendingGrants,
    note: (id, environment, grants) => services.setPendingGrants(id, environment, grants),
    isSame: (one, other) => one.id === other.id,
    takeBack:
      clients &&
      (async ({ service, environment }, grants) => {
        const clientId = serviceClientId(service.name, environment);
        for (const { id, name } of grants) {
          const target = await services.findConfirmed(id);
          if (target !== null && target.removingSince === null && hasScopesOf(target, service.org)) continue;
          await clients.revokeScopes({ service: name, clientId }, { actor: 'internal' });
        }
      }),
    later: 'Scopes of services that were removed are taken back by the next deploy.',
  };
}
