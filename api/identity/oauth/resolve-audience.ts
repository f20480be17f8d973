import { FairleadError } from '../../../domain/errors.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import { SERVICE_ROWS } from '../../../domain/services.ts';
import type { IdentityDeps } from '../deps.ts';

/** Audiences a request may name. */
const MAX_AUDIENCES = 10;

/** `<target service>:<scope>` (spec 1, A 6). */
const SERVICE_SCOPE = /^([a-z0-9][a-z0-9-]*):./;

/** The values of the parameters `resource` (RFC 8707) and `audience`, which say the same, each once. */
export function requestedAudience(parameters: {
  readonly audience?: string | readonly string[] | undefined;
  readonly resource?: string | readonly string[] | undefined;
}): string[] {
  const values = [parameters.resource ?? [], parameters.audience ?? []].flat().filter((value) => value !== '');
  return [...new Set(values)];
}

/**
 * Audience of a person's tokens, which is never empty: what is asked for, if it is the client itself or among its
 * default audience; else the default; else the client. @throws OAUTH_INVALID_TARGET (RFC 8707, 2)
 */
export async function resolveAudience(
  _deps: Pick<IdentityDeps, 'clients'>,
  client: Pick<ClientRecord, 'clientId' | 'defaultAudience'>,
  requested: readonly string[],
): Promise<string[]> {
  if (requested.length === 0)
    return client.defaultAudience.length > 0 ? [...client.defaultAudience] : [client.clientId];
  return narrowAudience([client.clientId, ...client.defaultAudience], requested);
}

/** What is asked for out of what there is. @throws OAUTH_INVALID_TARGET */
export function narrowAudience(granted: readonly string[], requested: readonly string[]): string[] {
  const refused = requested.find((audience) => !granted.includes(audience));
  if (refused === undefined && requested.length <= MAX_AUDIENCES) return [...requested];
  throw invalidTarget('This client cannot get tokens for the requested audience');
}

/** Audience of a service's own token, and whether it lies outside the installation. */
export interface ServiceAudience {
  readonly audience: readonly string[];
  readonly external: boolean;
}

/**
 * Audience of a service's own token: itself; the platform's own APIs, which judge each caller themselves; clients of which
 * the token carries a scope, `{their service}:…`; or one audience outside, which needs model access (spec 1, "Model
 * access flag"). When none is asked for, the clients `{target}-{environment}` that its scopes name, else itself. Who has
 * no scope of a client gets one answer, whether there is such a client or not. A service of one environment gets no token
 * for another: the spec names none, and a sandbox must not reach what serves people.
 * @throws OAUTH_INVALID_TARGET
 */
export async function resolveServiceAudience(
  deps: Pick<IdentityDeps, 'clients' | 'settings'>,
  client: ClientRecord,
  requested: readonly string[],
  scopes: readonly string[],
): Promise<ServiceAudience> {
  if (requested.length === 0) return { audience: await targetsOf(deps, client, scopes), external: false };
  if (requested.length > MAX_AUDIENCES) throw invalidTarget(`At most ${MAX_AUDIENCES} audiences can be requested`);
  const outside = requested.filter((audience) => deps.settings.externalAudiences.includes(audience));
  if (outside.length > 0) return { audience: requireExternal(client, requested, outside), external: true };
  const platform = SERVICE_ROWS.flatMap(({ platformClient }) => platformClient ?? []);
  const own = [client.clientId, deps.settings.issuer, ...platform];
  for (const audience of requested) {
    if (own.includes(audience) || (await isTargetOfScopes(deps, client, audience, scopes))) continue;
    throw invalidTarget(`${client.clientId} was granted no scope of the requested audience, or did not ask for one`);
  }
  return { audience: requested, external: false };
}

/** Whether a scope is of the service that the client of that id belongs to, or of the client itself where it has none. */
async function isTargetOfScopes(
  deps: Pick<IdentityDeps, 'clients'>,
  { environment }: ClientRecord,
  audience: string,
  scopes: readonly string[],
): Promise<boolean> {
  const named = scopes.flatMap((scope) => SERVICE_SCOPE.exec(scope)?.[1] ?? []);
  const target = named.length === 0 ? null : await deps.clients.find(audience);
  if (target === null) return false;
  const isOfTarget = (name: string) =>
    [target.service, target.clientId].includes(name) || `${name}-${target.environment}` === target.clientId;
  if (!named.some(isOfTarget)) return false;
  return environment === null || target.environment === null || target.environment === environment;
}

/** A token that leaves the installation is for nobody within, so that who gets it can do nothing here with it. */
function requireExternal(client: ClientRecord, requested: readonly string[], outside: readonly string[]) {
  if (outside.length !== requested.length || outside.length > 1) {
    throw invalidTarget('An external audience must be the only one');
  }
  if (!client.llmAccessEnabled) throw invalidTarget('Access to this audience is switched off for this client');
  return outside;
}

async function targetsOf(
  deps: Pick<IdentityDeps, 'clients'>,
  client: ClientRecord,
  scopes: readonly string[],
): Promise<readonly string[]> {
  const named = scopes.flatMap((scope) => SERVICE_SCOPE.exec(scope)?.[1] ?? []);
  const candidates =
    client.environment === null ? [] : [...new Set(named)].map((name) => `${name}-${client.environment}`);
  const found: string[] = [];
  for (const candidate of candidates) if ((await deps.clients.find(candidate)) !== null) found.push(candidate);
  return found.length > 0 ? found : [client.clientId];
}

function invalidTarget(message: string): FairleadError {
  return new FairleadError('OAUTH_INVALID_TARGET', message);
}
