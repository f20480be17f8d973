import { FairleadError } from '../../../domain/errors.ts';
import { type ClientRecord, STANDARD_SCOPES } from '../../../domain/oauth-clients/client.ts';

/** RFC 6749, 3.3. */
const SCOPE_LIST = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

const MAX_SCOPES = 100;

/** Granted to a person's login that asks for none. `offline_access` is only ever given to who asks for it. */
const DEFAULT_SCOPES: readonly string[] = ['openid', 'profile', 'email'];

/** The scopes of a scope parameter, each once. Empty when it is absent. @throws OAUTH_INVALID_SCOPE */
export function parseScopes(requested: string | undefined): string[] {
  const text = requested?.trim() ?? '';
  if (text === '') return [];
  const scopes = SCOPE_LIST.test(text) ? [...new Set(text.split(' '))] : [];
  if (scopes.length > 0 && scopes.length <= MAX_SCOPES) return scopes;
  throw new FairleadError('OAUTH_INVALID_SCOPE', 'scope: a list of names with one space between them');
}

/**
 * Scopes of a person's login at a client: what is asked for, if the client was granted all of it, else the standard
 * ones it was granted. @throws OAUTH_INVALID_SCOPE naming the others
 */
export function resolveScopes(client: Pick<ClientRecord, 'allowedScopes'>, requested: string | undefined): string[] {
  const scopes = parseScopes(requested);
  if (scopes.length === 0) return DEFAULT_SCOPES.filter((scope) => client.allowedScopes.includes(scope));
  return requireScopes(scopes, client.allowedScopes);
}

/**
 * Scopes of a service's own token: what is asked for, else all that the client was granted for services (spec 1, A 6).
 * The standard ones are about people. @throws OAUTH_INVALID_SCOPE naming those it was not granted
 */
export function resolveServiceScopes(
  client: Pick<ClientRecord, 'allowedScopes'>,
  requested: string | undefined,
): readonly string[] {
  const scopes = parseScopes(requested);
  if (scopes.length > 0) return requireScopes(scopes, client.allowedScopes);
  const standard: readonly string[] = STANDARD_SCOPES;
  return client.allowedScopes.filter((scope) => !standard.includes(scope));
}

/** What is asked for out of what there is, all of it when nothing is asked for. @throws OAUTH_INVALID_SCOPE */
export function narrowScopes(granted: readonly string[], requested: string | undefined): readonly string[] {
  const scopes = parseScopes(requested);
  return scopes.length === 0 ? granted : requireScopes(scopes, granted);
}

function requireScopes(scopes: string[], allowed: readonly string[]): string[] {
  const refused = scopes.filter((scope) => !allowed.includes(scope));
  if (refused.length === 0) return scopes;
  throw new FairleadError('OAUTH_INVALID_SCOPE', `Not granted to this client: ${refused.join(' ')}`);
}
