import type { AccessTokenClaims } from '../../../domain/identity/claims.ts';
import type { RevocationKind } from '../../../domain/identity/revocation.ts';
import { addSeconds, LONGEST_TOKEN_SECONDS } from '../../../domain/identity/token-lifetimes.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import { CACHED_READ_MS } from '../cached-reads.ts';
import type { IdentityDeps } from '../deps.ts';

/**
 * Ends of tokens and logins. Each writes the denylist first: an access token that is void and a login that still lives
 * is put right by calling again, the other way round would leave tokens alive unnoticed. All are idempotent.
 */

type Deps = Pick<IdentityDeps, 'revocations' | 'grants' | 'sessions' | 'audit' | 'newId' | 'now'>;

type Context = Pick<RouteContext, 'requestId' | 'address' | 'caller'> | null;

export interface RevokeOptions {
  /** Who ends it, for the audit trail; the caller of the request when it is not said. */
  readonly actor?: string;
  /** Why, in a few words, such as `replayed`. */
  readonly reason?: string;
}

/** Ends one login at one client: its refresh tokens, and every access token made of it (RFC 7009, 2.1). */
export async function revokeGrant(deps: Deps, context: Context, grantId: string, options: RevokeOptions = {}) {
  const now = deps.now();
  await deny(deps, 'grant', grantId, now);
  if (await deps.grants.revoke(grantId, now)) {
    await note(deps, context, 'oauth.grant_revoked', grantId, options);
  }
}

/**
 * Ends a browser session with the logins made in it. Those with `offline_access` go on: their tokens carry no `sid`.
 */
export async function revokeSession(deps: Deps, context: Context, sessionId: string, options: RevokeOptions = {}) {
  const now = deps.now();
  await deny(deps, 'session', sessionId, now);
  const revoked = await deps.sessions.revoke(sessionId, now);
  const grants = await deps.grants.revokeOfSession(sessionId, now);
  if (revoked) await note(deps, context, 'session.revoked', sessionId, options, { grants: grants.length });
}

/** Ends every session and login of a person. Tokens issued within the same second are void as well. */
export async function revokeUser(deps: Deps, context: Context, userId: string, options: RevokeOptions = {}) {
  const now = deps.now();
  await deny(deps, 'user', userId, now);
  await deps.sessions.revokeAllOfUser(userId, now);
  await deps.grants.revokeAllOfUser(userId, now);
  await note(deps, context, 'user.logins_revoked', userId, options);
}

/**
 * Ends every login at a client and every token issued to it. Another process may know the client for a moment longer
 * and issue a token for it: that one is void, too.
 */
export async function revokeClient(deps: Deps, context: Context, clientId: string, options: RevokeOptions = {}) {
  const now = deps.now();
  await deny(deps, 'client', clientId, new Date(now.getTime() + CACHED_READ_MS));
  await deps.grants.revokeAllOfClient(clientId, now);
  await note(deps, context, 'oauth.client_tokens_revoked', clientId, options);
}

/** Voids one access token until it expires. */
export async function revokeToken(
  deps: Deps,
  context: Context,
  claims: Pick<AccessTokenClaims, 'jti' | 'iat' | 'exp' | 'sub' | 'client_id' | 'orgSlug'>,
  options: RevokeOptions = {},
) {
  const issuedUntil = new Date(Math.max(deps.now().getTime(), claims.iat * 1000));
  await deny(deps, 'token', claims.jti, issuedUntil, new Date(claims.exp * 1000));
  const data = { sub: claims.sub, clientId: claims.client_id };
  await note(deps, context, 'oauth.token_revoked', claims.jti, options, data, claims.orgSlug ?? null);
}

async function deny(
  deps: Deps,
  kind: RevocationKind,
  value: string,
  issuedUntil: Date,
  expiresAt = addSeconds(issuedUntil, LONGEST_TOKEN_SECONDS),
): Promise<void> {
  await deps.revocations.add({ kind, value, issuedUntil, revokedAt: deps.now(), expiresAt });
}

async function note(
  deps: Deps,
  context: Context,
  type: string,
  subject: string,
  { actor, reason }: RevokeOptions,
  data: Readonly<Record<string, string | number>> = {},
  orgSlug: string | null = null,
): Promise<void> {
  await audit(deps, context, {
    type,
    actor: actor ?? context?.caller?.name ?? 'system',
    subject,
    orgSlug,
    data: { ...data, ...(reason === undefined ? {} : { reason }) },
  });
}
