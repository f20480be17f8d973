import type { AccessTokenClaims } from '../../../domain/identity/claims.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { type AuditFacts, audit } from '../audit.ts';
import { CACHED_READ_MS } from '../cached-reads.ts';
import type { IdentityDeps } from '../deps.ts';
import { deny } from './deny.ts';

/**
 * Ends of tokens and logins. Each is told in the audit trail first: what cannot be told is not done. Then the denylist is
 * written, and then the records: a login that still lives although its tokens are void is put right by calling again, the
 * other way round would leave tokens alive unnoticed. What ended for good, by its id, is void from then on, and is told
 * once however often it is repeated. A person and a client go on, so their tokens are denied once more after the effect:
 * those that were issued while it took place are void, too. All are idempotent.
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
  const grant = await deps.grants.find(grantId);
  if (grant !== null && grant.revokedAt === null) {
    await noteEnd(deps, context, 'oauth.grant_revoked', grantId, options);
  }
  await deny(deps, 'grant', grantId);
  await deps.grants.revoke(grantId, deps.now());
}

/**
 * Ends a browser session with the logins made in it. Those with `offline_access` go on: their tokens carry no `sid`.
 */
export async function revokeSession(deps: Deps, context: Context, sessionId: string, options: RevokeOptions = {}) {
  const session = await deps.sessions.find(sessionId);
  if (session !== null && session.revokedAt === null) {
    await noteEnd(deps, context, 'session.revoked', sessionId, options);
  }
  await deny(deps, 'session', sessionId);
  const now = deps.now();
  await deps.sessions.revoke(sessionId, now);
  await deps.grants.revokeOfSession(sessionId, now);
}

/** Ends every session and login of a person. Tokens issued within the same second are void as well. */
export async function revokeUser(deps: Deps, context: Context, userId: string, options: RevokeOptions = {}) {
  await note(deps, context, 'user.logins_revoked', userId, options);
  await deny(deps, 'user', userId);
  const now = deps.now();
  await deps.sessions.revokeAllOfUser(userId, now);
  await deps.grants.revokeAllOfUser(userId, now);
  await deny(deps, 'user', userId);
}

/**
 * Ends every login at a client and every token issued to it. Another process may know the client for a moment longer
 * and issue a token for it: that one is void, too.
 */
export async function revokeClient(deps: Deps, context: Context, clientId: string, options: RevokeOptions = {}) {
  const aheadMs = CACHED_READ_MS;
  await note(deps, context, 'oauth.client_tokens_revoked', clientId, options);
  await deny(deps, 'client', clientId, { aheadMs });
  await deps.grants.revokeAllOfClient(clientId, deps.now());
  await deny(deps, 'client', clientId, { aheadMs });
}

/** Voids one access token until it expires. */
export async function revokeToken(
  deps: Deps,
  context: Context,
  claims: Pick<AccessTokenClaims, 'jti' | 'exp' | 'sub' | 'client_id' | 'orgSlug'>,
  options: RevokeOptions = {},
) {
  const data = { sub: claims.sub, clientId: claims.client_id };
  await noteEnd(deps, context, 'oauth.token_revoked', claims.jti, options, { data, orgSlug: claims.orgSlug ?? null });
  await deny(deps, 'token', claims.jti, { lastExpiry: new Date(claims.exp * 1000) });
}

/** What ends once: whoever repeats it after a kill, or ends it at the same moment, records it under the same id. */
function noteEnd(
  deps: Deps,
  context: Context,
  type: string,
  subject: string,
  options: RevokeOptions,
  facts: Partial<Pick<AuditFacts, 'data' | 'orgSlug'>> = {},
): Promise<void> {
  return note(deps, context, type, subject, options, { ...facts, id: `${type}/${subject}` });
}

async function note(
  deps: Deps,
  context: Context,
  type: string,
  subject: string,
  { actor, reason }: RevokeOptions,
  facts: Partial<Pick<AuditFacts, 'data' | 'orgSlug' | 'id'>> = {},
): Promise<void> {
  await audit(deps, context, {
    orgSlug: null,
    ...facts,
    type,
    actor: actor ?? context?.caller?.name ?? 'system',
    subject,
    data: { ...facts.data, ...(reason === undefined ? {} : { reason }) },
  });
}
