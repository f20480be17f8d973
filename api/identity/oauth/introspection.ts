import { z } from 'zod';
import { type AccessTokenClaims, isServiceToken } from '../../../domain/identity/claims.ts';
import { epochSeconds } from '../../../domain/identity/token-lifetimes.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { IdentityDeps } from '../deps.ts';
import { readRefreshToken } from '../tokens/refresh-token.ts';
import { findOwnToken } from './own-token.ts';

/** RFC 7662, 2.2: all claims of an access token, with what the provider adds. */
export const introspectionSchema = z.looseObject({
  active: z.boolean(),
  scope: z.string().optional(),
  client_id: z.string().optional(),
  /** E-mail address of a person. */
  username: z.string().optional(),
  token_type: z.string().optional(),
  exp: z.int().optional(),
  iat: z.int().optional(),
  sub: z.string().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
  iss: z.string().optional(),
  jti: z.string().optional(),
  /** Org of the person or of the client (spec 1, "Access-token claims"). */
  org_slug: z.string().optional(),
});

export type Introspection = z.output<typeof introspectionSchema>;

/** All that is said of a token that is not good, or none of the asking client's business (RFC 7662, 2.2). */
const INACTIVE: Introspection = { active: false };

/**
 * What a token is, to a client that is its audience or got it issued. The answer is that of this moment: the denylist,
 * the person and the client are looked up, not remembered.
 */
export async function introspect(deps: IdentityDeps, asking: ClientRecord, token: string): Promise<Introspection> {
  if (readRefreshToken(deps.tokens, token) !== null) return introspectRefreshToken(deps, asking, token);
  const claims = await findOwnToken(deps, token);
  if (claims === null || !concerns(claims, asking) || !(await holderLives(deps, claims))) return INACTIVE;
  return {
    active: true,
    ...claims,
    // The claim says how a service got it; here the name means how it is sent.
    token_type: 'Bearer',
    ...(claims.token_type === undefined ? {} : { grant_type: claims.token_type }),
    ...(claims.email === undefined ? {} : { username: claims.email }),
    ...(claims.orgSlug === undefined ? {} : { org_slug: claims.orgSlug }),
  };
}

function concerns(claims: AccessTokenClaims, asking: ClientRecord): boolean {
  return claims.client_id === asking.clientId || [claims.aud].flat().includes(asking.clientId);
}

async function holderLives(deps: IdentityDeps, claims: AccessTokenClaims): Promise<boolean> {
  const client = await deps.clients.find(claims.client_id);
  if (client === null) return false;
  if (isServiceToken(claims)) return (await deps.orgs.find(client.orgSlug))?.suspendedAt == null;
  const user = await deps.users.find(claims.sub);
  return user !== null && user.suspendedAt === null;
}

async function introspectRefreshToken(deps: IdentityDeps, asking: ClientRecord, token: string): Promise<Introspection> {
  const presented = readRefreshToken(deps.tokens, token);
  const grant = presented === null ? null : await deps.grants.find(presented.grantId);
  if (grant === null || grant.clientId !== asking.clientId || grant.generation !== presented?.generation)
    return INACTIVE;
  if (grant.revokedAt !== null || grant.expiresAt <= deps.now()) return INACTIVE;
  return {
    active: true,
    iss: deps.settings.issuer,
    sub: grant.userId,
    client_id: grant.clientId,
    scope: grant.scopes.join(' '),
    iat: epochSeconds(grant.createdAt),
    exp: epochSeconds(grant.expiresAt),
  };
}
