import { type AccessTokenClaims, isServiceToken } from '../../domain/identity/claims.ts';
import type { LoginFacts } from '../../domain/orgs/policy.ts';
import { actsForPlatform, type PersonCaller, personKind, strongestRole, type TokenServiceCaller } from './caller.ts';

/**
 * Who a verified access token speaks for. Org and roles are those of the token.
 * @param platformOrg slug of the org that runs the installation: its services may act for the platform
 */
export function tokenCaller(claims: AccessTokenClaims, platformOrg: string): PersonCaller | TokenServiceCaller {
  return isServiceToken(claims) ? serviceCaller(claims, platformOrg) : personCaller(claims);
}

function personCaller(claims: AccessTokenClaims): PersonCaller {
  const org = claims.orgSlug ?? '';
  return {
    // On the token of a test person, platform roles would be a mistake: they are never granted to one (spec 1, F 1).
    kind: claims.persona === true ? 'user' : personKind(claims.roles),
    via: 'token',
    userId: claims.sub,
    email: claims.email ?? '',
    org,
    name: claims.sub,
    role: org === '' ? null : strongestRole(claims.orgRoles),
    clientId: claims.client_id,
    login: loginOfClaims(claims),
  };
}

/** A service is what its org and its scopes make it: roles in its token mean nothing. */
function serviceCaller(claims: AccessTokenClaims, platformOrg: string): TokenServiceCaller {
  const org = claims.orgSlug ?? '';
  const scopes = claims.scope.split(' ').filter((scope) => scope !== '');
  const kind = actsForPlatform({ org, scopes }, platformOrg) ? 'platform-service' : 'service';
  return { kind, clientId: claims.client_id, org, name: claims.client_id, scopes };
}

/** A token that does not say when its person signed in is of a login that is long ago. */
export function loginOfClaims({ amr = [], auth_time: seconds = 0 }: AccessTokenClaims): LoginFacts {
  return { methods: amr, authenticatedAt: new Date(seconds * 1000) };
}
