import type { TokenVerifier } from '../../sdk/index.ts';
import type { Authenticate } from './caller.ts';
import { tokenCaller } from './token-caller.ts';

export interface TokenAuthOptions {
  /** Asked first: a request that carries the internal key is the platform's own, or refused. */
  readonly internalKey: Authenticate;
  /** Null where no identity provider is known: then the internal key alone counts. */
  readonly verifier: Pick<TokenVerifier, 'authenticate'> | null;
  /** Slug of the org that runs the installation: its services may act for the platform. */
  readonly platformOrg: string;
}

/**
 * Authenticates callers (spec 2, "Authentication", 1; spec 3, "Audit ledger", 1) by the internal key, else by an access
 * token in the `Authorization` header. Cookies are not looked at, so no page can have a browser call the service for it.
 * Org and roles are those of the token: no header of the request can name others.
 */
export function createTokenAuth(options: TokenAuthOptions): Authenticate {
  const { internalKey, verifier, platformOrg } = options;
  return async (request) => {
    const internal = await internalKey(request);
    if (internal !== null) return internal;
    const { authorization } = request.headers;
    if (verifier === null || authorization === undefined) return null;
    const { user } = await verifier.authenticate({ headers: { authorization } });
    return tokenCaller(user.claims, platformOrg);
  };
}
