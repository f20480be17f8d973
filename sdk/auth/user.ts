import { type AccessTokenClaims, isServiceToken } from '../../domain/identity/claims.ts';
import * as roles from '../../domain/roles.ts';

/** Who a verified token speaks for: `req.user` of the middleware. */
export interface FairleadUser {
  /** `service` for a token of the grant client_credentials. */
  readonly kind: 'user' | 'service';
  /** User id, or the client id of a service. */
  readonly identityId: string;
  /** The client the token was issued to. */
  readonly clientId: string;
  readonly email: string | null;
  /** False unless the provider says that the person reads the mail of `email`: only then may it name an account. */
  readonly emailVerified: boolean;
  /** Primary org of the person, or owning org of the service. */
  readonly orgSlug: string | null;
  /** Platform roles alone: an org's admin is not here. Empty for a service. */
  readonly roles: readonly string[];
  /** Roles in `orgSlug`; they never count on the platform. Empty for a service. */
  readonly orgRoles: readonly string[];
  readonly scopes: readonly string[];
  /** Only there when the client includes branding in its tokens. */
  readonly branding?: unknown;
  /** True on tokens of a test person; a service may treat it as read-only. */
  readonly persona: boolean;
  readonly expiresAt: Date;
  /** Every claim of the token. */
  readonly claims: AccessTokenClaims;
}

/** The user of verified claims. */
export function userOfClaims(claims: AccessTokenClaims): FairleadUser {
  const service = isServiceToken(claims);
  return {
    kind: service ? 'service' : 'user',
    identityId: claims.sub,
    clientId: claims.client_id,
    email: claims.email ?? null,
    emailVerified: claims.email_verified === true,
    orgSlug: claims.orgSlug ?? null,
    roles: service ? [] : claims.roles,
    orgRoles: service ? [] : claims.orgRoles,
    scopes: claims.scope === '' ? [] : claims.scope.split(' '),
    ...(claims.branding === undefined ? {} : { branding: claims.branding }),
    persona: claims.persona === true,
    expiresAt: new Date(claims.exp * 1000),
    claims,
  };
}

/** True for `super_admin` among the platform roles, and for nothing else (spec 1, G 5). */
export function isPlatformAdmin(user: Pick<FairleadUser, 'roles'>): boolean {
  return roles.isPlatformAdmin(user.roles);
}

/** True when the user has that role, or a stronger one, in the org of the token. */
export function hasOrgRole(user: Pick<FairleadUser, 'orgRoles'>, wanted: roles.OrgRole): boolean {
  return roles.hasOrgRole(user.orgRoles, wanted);
}

/** True when the token carries the scope; no scope stands for another. */
export function hasScope(user: Pick<FairleadUser, 'scopes'>, scope: string): boolean {
  return user.scopes.includes(scope);
}
