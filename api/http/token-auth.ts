import type { OrgRole } from '../../domain/roles.ts';
import { isPlatformAdmin } from '../../domain/roles.ts';
import { type FairleadUser, hasScope, type TokenVerifier } from '../../sdk/index.ts';
import { type Authenticate, actsForPlatform, type Caller, strongestRole } from './caller.ts';

/** What a service's token may carry to use the builder within its own org. */
const SERVICE_SCOPES: readonly (readonly [scope: string, role: OrgRole])[] = [
  ['builder:write', 'member'],
  ['builder:read', 'viewer'],
];

export interface TokenAuthOptions {
  /** Asked first: a request that carries the internal key is the platform's own, or refused. */
  readonly internalKey: Authenticate;
  /** Null where no identity provider is known: then the internal key alone counts. */
  readonly verifier: Pick<TokenVerifier, 'authenticate'> | null;
  /** Slug of the org that runs the installation: its services may act for the platform. */
  readonly platformOrg: string;
}

/**
 * Authenticates the builder's callers (spec 2, "Authentication", 1) by the internal key, else by an access token in the
 * `Authorization` header. Cookies are not looked at, so no page can have a browser call the builder for it. Org and
 * roles are those of the token: no header of the request can name others.
 */
export function createTokenAuth(options: TokenAuthOptions): Authenticate {
  const { internalKey, verifier, platformOrg } = options;
  return async (request) => {
    const internal = await internalKey(request);
    if (internal !== null) return internal;
    const { authorization } = request.headers;
    if (verifier === null || authorization === undefined) return null;
    const { user } = await verifier.authenticate({ headers: { authorization } });
    return callerOf(user, platformOrg);
  };
}

function callerOf(user: FairleadUser, platformOrg: string): Caller {
  if (user.kind === 'service') return serviceCaller(user, platformOrg);
  return {
    kind: 'user',
    via: 'token',
    userId: user.identityId,
    email: user.email ?? '',
    org: user.orgSlug ?? '',
    name: user.identityId,
    role: user.orgSlug === null ? null : strongestRole(user.orgRoles),
    orgRoles: user.orgRoles,
    // On the token of a test person, platform roles would be a mistake: they are never granted to one (spec 1, F 1).
    platformRoles: user.persona && isPlatformAdmin(user.roles) ? [] : user.roles,
    clientId: user.clientId,
  };
}

function serviceCaller(user: FairleadUser, platformOrg: string): Caller {
  const [, role = null] = SERVICE_SCOPES.find(([scope]) => hasScope(user, scope)) ?? [];
  return {
    kind: 'service',
    clientId: user.clientId,
    org: user.orgSlug ?? '',
    name: user.clientId,
    role: user.orgSlug === null ? null : role,
    scopes: user.scopes,
    platform: actsForPlatform({ org: user.orgSlug ?? '', scopes: user.scopes }, platformOrg),
  };
}
