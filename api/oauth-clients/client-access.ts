import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ActingFor, ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';
import type { ClientView } from '../../domain/oauth-clients/client-schema.ts';
import { clientIdsOf, ownsClient } from '../../domain/oauth-clients/ownership.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Caller } from '../http/caller.ts';
import { administratorOf } from './administrator.ts';
import type { BuilderClientsDeps } from './builder-deps.ts';
import { requireFound } from './require-client.ts';

const SERVICES_PER_READ = 200;

/** A client the caller may administer, and the service it belongs to. */
export interface OwnedClient {
  readonly client: ClientView;
  readonly service: ServiceRecord | null;
}

/**
 * For whom a caller adds to a client. Of an org that shares the service with the list as it was looked up: when the org is
 * taken out meanwhile, the addition is refused.
 */
export function addingFor(caller: Caller, { client, service }: OwnedClient): ActingFor {
  const { name: actor, org } = caller;
  if (administratorOf(caller) === 'super_admin') return { actor };
  if (client.orgSlug === org || service === null || service.org === org) return { actor, org };
  return { actor, org, sharingRevision: service.sharing.revision };
}

/** @throws UNAVAILABLE when no identity provider is configured */
export function requireProvider({ clients }: Pick<BuilderClientsDeps, 'clients'>): ClientAdministration {
  if (clients !== null) return clients;
  throw new FairleadError('UNAVAILABLE', 'No identity provider is configured here (IDP_URL)');
}

/** @throws CLIENT_NOT_FOUND also for a client of another org, whose existence is not told (spec 1, C) */
export async function requireOwnedClient(
  deps: BuilderClientsDeps,
  caller: Caller,
  clientId: string,
): Promise<OwnedClient> {
  const client = requireFound(await requireProvider(deps).find(clientId), clientId);
  const service = client.service === null ? null : await deps.services.find(client.service);
  const owned = administratorOf(caller) === 'super_admin' || ownsClient(caller.org, client, service);
  return { client: requireFound(owned ? client : null, clientId), service };
}

/** The clients a caller may administer, by id. A page may hold fewer than its limit and still have a next one. */
export async function listOwnedClients(
  deps: BuilderClientsDeps,
  caller: Caller,
  page: PageRequest,
): Promise<Page<ClientView>> {
  const provider = requireProvider(deps);
  if (administratorOf(caller) === 'super_admin') return await provider.list({ orgSlug: null, clientIds: [] }, page);
  if (caller.org === '') return { items: [], nextCursor: null };
  const services = await servicesOf(deps, caller.org);
  const clientIds = [...services.values()].flatMap(clientIdsOf);
  const found = await provider.list({ orgSlug: caller.org, clientIds }, page);
  const owned = found.items.filter((client) =>
    ownsClient(caller.org, client, services.get(client.service ?? '') ?? null),
  );
  return { items: owned, nextCursor: found.nextCursor };
}

/** The services an org owns or is authorized for, by name. */
async function servicesOf(deps: BuilderClientsDeps, org: string): Promise<ReadonlyMap<string, ServiceRecord>> {
  const services = new Map<string, ServiceRecord>();
  let cursor: string | null = null;
  do {
    const page: Page<ServiceRecord> = await deps.services.list({ org }, { cursor, limit: SERVICES_PER_READ });
    for (const service of page.items) services.set(service.name, service);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return services;
}
