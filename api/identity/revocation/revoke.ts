import type { AccessTokenClaims } from '../../../domain/identity/claims.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import { CACHED_READ_MS } from '../cached-reads.ts';
import type { IdentityDeps } from '../deps.ts';
import { deny } from './deny.ts';

/**
 * Ends of tokens and logins. Each writes the denylist first: an access token that is void and a login that still lives
 * is put right by calling again, the other way round would leave tokens alive unnoticed. What ended for good, by its id,
 * is void from then on. A person and a client go on, so their tokens are denied once more after the effect: those that
 * were issued while it took place are void, too. All are idempotent.
 */

type Deps = Pick<IdentityDeps, 'revocations' | 'databaseTime' | 'grants' | 'sessions' | 'audit' | 'newId' | 'now'>;

type Context = Pick<RouteContext, 'requestId' | 'address' | 'caller'> | null;

export interface RevokeOptions {
  /** Who ends it, for the audit trail; the caller of the request when it is not said. */
  readonly actor?: string;
  /** Why, in a few words, such as `replayed`. */
  readonly reason?: string;
}

/** Ends one login at one client: its refresh tokens, and every access token made of it (RFC 7009, 2.1). */
export async function revokeGrant(deps: Deps, context: Context, grantId: string, options: RevokeOptions = {}) {
  await deny(deps, 'grant', grantId);
  if (await deps.grants.revoke(grantId, deps.now())) {
    await note(deps, context, 'oauth.grant_revoked', grantId, options);
  }
}

/**
 * Ends a browser session with the logins made in it. Those with `offline_access` go on: their tokens carry no `sid`.
 */
export async function revokeSession(deps: Deps, context: Context, sessionId: string, options: RevokeOptions = {}) {
  await deny(deps, 'session', sessionId);
  const now = deps.now();
  const revoked = await deps.sessions.revoke(sessionId, now);
  const grants = await deps.grants.revokeOfSession(sessionId, now);
  if (revoked) await note(deps, context, 'session.revoked', sessionId, options, { grants: grants.length });
}

/** Ends every session and login of a person. Tokens issued within the same second are void as well. */
export async function revokeUser(deps: Deps, context: Context, userId: string, options: RevokeOptions = {}) {
  await deny(deps, 'user', userId);
  const now = deps.now();
  await deps.sessions.revokeAllOfUser(userId, now);
  await deps.grants.revokeAllOfUser(userId, now);
  await deny(deps, 'user', userId);
  await note(deps, context, 'user.logins_revoked', userId, options);
}

/**
 * Ends every login at a client and every token issued to it. Another process may know the client for a moment longer
 * and issue a token for it: that one is void, too.
 */
export async function revokeClient(deps: Deps, context: Context, clientId: string, options: RevokeOptions = {}) {
  const aheadMs = CACHED_READ_MS;
  await deny(deps, 'client', clientId, { aheadMs });
  await deps.grants.revokeAllOfClient(clientId, deps.now());
  await deny(deps, 'client', clientId, { aheadMs });
  await note(deps, context, 'oauth.client_tokens_revoked', clientId, options);
}

/** Voids one access token until it expires. */
export async function revokeToken(
  deps: Deps,
  context: Context,
  claims: Pick<AccessTokenClaims, 'jti' | 'exp' | 'sub' | 'client_id' | 'orgSlug'>,
  options: RevokeOptions = {},
) {
  await deny(deps, 'token', claims.jti, { lastExpiry: new Date(claims.exp * 1000) });
  const data = { sub: claims.sub, clientId: claims.client_id };
  await note(deps, context, 'oauth.token_revoked', claims.jti, options, data, claims.orgSlug ?? null);
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
