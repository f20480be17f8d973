import type { ServiceRecord } from '../catalog/service.ts';
import { ENVIRONMENTS, type Environment } from '../environment.ts';
import type { ClientRecord } from './client.ts';

/** What of a service decides whose its clients are. */
export type ClientOwner = Pick<ServiceRecord, 'name' | 'org' | 'authorizedOrgs' | 'oauthCredentials'>;

/** Default id of the client of a service in an environment (spec 1, "OAuth client record"). */
export function serviceClientId(service: string, environment: Environment): string {
  return `${service}-${environment}`;
}

/** The client of a service in an environment: the one its stored credential names, else the default id. */
export function clientIdOf(service: Pick<ClientOwner, 'name' | 'oauthCredentials'>, environment: Environment): string {
  return service.oauthCredentials[environment]?.clientId ?? serviceClientId(service.name, environment);
}

/** Ids of a service's clients in every environment, whether or not there are such clients. */
export function clientIdsOf(service: Pick<ClientOwner, 'name' | 'oauthCredentials'>): string[] {
  return ENVIRONMENTS.map((environment) => clientIdOf(service, environment));
}

/**
 * Whether an org owns a client (spec 1, C): its record names the org, or it belongs to a service that the org owns or is
 * authorized for.
 *
 * @param service the service that the client's record names; null when it names none, or there is none. The id alone
 *   decides nothing: anyone can register a service whose name makes the id of someone else's client.
 */
export function ownsClient(
  org: string,
  client: Pick<ClientRecord, 'clientId' | 'orgSlug' | 'service'>,
  service: ClientOwner | null,
): boolean {
  if (org === '') return false;
  if (client.orgSlug === org) return true;
  if (service === null || client.service !== service.name) return false;
  if (service.org !== org && !service.authorizedOrgs.includes(org)) return false;
  return clientIdsOf(service).includes(client.clientId);
}
