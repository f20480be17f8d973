import { FairleadError } from '../../../domain/errors.ts';
import type { GrantOrigin, GrantRecord } from '../../../domain/identity/login.ts';
import { addSeconds, epochSeconds } from '../../../domain/identity/token-lifetimes.ts';
import type { LoginMethod, UserRecord } from '../../../domain/identity/user.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { finishEnding } from '../login/end-logins.ts';
import { isUnchanged } from '../login/is-unchanged.ts';
import { revokeGrant } from '../revocation/revoke.ts';
import { requireSignIn } from './require-sign-in.ts';
import { signPersonTokens } from './sign-tokens.ts';
import { findTokenPerson } from './token-person.ts';
import type { TokenReply } from './token-reply.ts';

export interface TokenOrder {
  /**
   * Whose login it is, as they were when they proved it. `passwordVersion` is null where the browser session stands for
   * that: it ends with a change of the password.
   */
  readonly user: Pick<UserRecord, 'id'> & { readonly passwordVersion: number | null };
  readonly client: ClientRecord;
  /** Before the client, the person and what they proved were read: whatever is revoked from then on voids the tokens. */
  readonly issuedAt: Date;
  readonly origin: GrantOrigin;
  /** The browser session; null for logins without one. */
  readonly sessionId: string | null;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly methods: readonly LoginMethod[];
  /** Moment of the full login. */
  readonly authenticatedAt: Date;
  readonly nonce?: string | null;
  readonly address: string;
  readonly userAgent: string;
  /** Made beforehand by callers that bind something taken once to it; else made here. */
  readonly grantId?: string;
  /** The request it belongs to, for the audit trail. */
  readonly requestId?: string | null;
}

/**
 * Begins a login of a person at a client: keeps the grant and answers its first tokens.
 * @throws OAUTH_INVALID_GRANT for a person who gets no tokens, or whose login was ended meanwhile; UNAVAILABLE
 */
export async function issueTokens(deps: IdentityDeps, order: TokenOrder): Promise<TokenReply> {
  const { issuedAt } = order;
  const person = await findTokenPerson(deps, order.user.id, order);
  if (person === null)
    throw new FairleadError(
      'OAUTH_INVALID_GRANT',
      'The account or its organization is suspended, or the organization asks for a second factor or a newer login',
    );
  await requireSignIn(deps, order.client, { userId: order.user.id, login: order, code: 'OAUTH_INVALID_GRANT' });
  await finishEnding(deps, person.user);
  const grant = newGrant(deps, order, issuedAt);
  await deps.grants.insert(grant);
  await requireAlive(deps, grant, order.user, issuedAt);
  const { id, userId, clientId, origin, scopes, offline } = grant;
  await audit(deps, order.requestId == null ? null : { requestId: order.requestId, address: order.address }, {
    type: 'oauth.grant_created',
    actor: userId,
    subject: id,
    orgSlug: person.org?.slug ?? null,
    data: { clientId, origin, scopes, offline, audience: grant.audience, methods: grant.methods },
  });
  const { client, nonce = null } = order;
  return signPersonTokens(deps, { person, client, grant, scopes, issuedAt, generation: grant.generation, nonce });
}

function newGrant(deps: IdentityDeps, order: TokenOrder, issuedAt: Date): GrantRecord {
  return {
    id: order.grantId ?? deps.newId('grant'),
    userId: order.user.id,
    clientId: order.client.clientId,
    sessionId: order.sessionId,
    origin: order.origin,
    offline: order.scopes.includes('offline_access'),
    scopes: order.scopes,
    audience: order.audience,
    methods: order.methods,
    authenticatedAt: order.authenticatedAt,
    generation: 0,
    lastReply: null,
    address: order.address,
    userAgent: order.userAgent,
    createdAt: issuedAt,
    lastUsedAt: issuedAt,
    expiresAt: addSeconds(issuedAt, order.client.refreshTokenTtlSeconds),
    revokedAt: null,
  };
}

/**
 * Whoever revoked the grant, its person, client or session in between, or set another password, found no grant to end:
 * this one is ended here, before anybody has a token of it.
 */
async function requireAlive(
  deps: IdentityDeps,
  grant: GrantRecord,
  user: TokenOrder['user'],
  issuedAt: Date,
): Promise<void> {
  const alive =
    !(await isDenied(deps, grant, issuedAt)) &&
    (grant.sessionId === null || (await isSessionAlive(deps, grant.sessionId))) &&
    (user.passwordVersion === null ||
      (await isUnchanged(deps, { id: user.id, passwordVersion: user.passwordVersion })));
  if (alive) return;
  await revokeGrant(deps, null, grant.id, { actor: 'system', reason: 'ended while it began' });
  throw new FairleadError('OAUTH_INVALID_GRANT', 'The login was ended; log in again');
}

/** One that was made in a session begins in that session's lifetime, also where it is meant to outlive it. */
async function isSessionAlive(deps: Pick<IdentityDeps, 'sessions'>, sessionId: string): Promise<boolean> {
  const session = await deps.sessions.find(sessionId);
  return session !== null && session.revokedAt === null;
}

function isDenied(deps: IdentityDeps, grant: GrantRecord, issuedAt: Date): Promise<boolean> {
  return deps.revocations.isRevoked({
    jti: grant.id,
    gid: grant.id,
    sid: grant.offline ? undefined : (grant.sessionId ?? undefined),
    sub: grant.userId,
    client_id: grant.clientId,
    iat: epochSeconds(issuedAt),
  });
}
