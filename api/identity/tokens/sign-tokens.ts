import {
  idTokenClaims,
  personClaims,
  type TokenFrame,
  type TokenLogin,
} from '../../../domain/identity/build-claims.ts';
import { ACCESS_TOKEN_TYPE, type AccessTokenClaims } from '../../../domain/identity/claims.ts';
import type { GrantRecord } from '../../../domain/identity/login.ts';
import { addSeconds, epochSeconds } from '../../../domain/identity/token-lifetimes.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { IdentityDeps } from '../deps.ts';
import { formatRefreshToken } from './refresh-token.ts';
import type { DescribedPerson } from './token-person.ts';
import type { TokenReply } from './token-reply.ts';

export type SigningDeps = Pick<IdentityDeps, 'signer' | 'tokens' | 'newId' | 'settings'>;

export interface PersonTokens {
  readonly person: DescribedPerson;
  readonly client: ClientRecord;
  readonly grant: Pick<
    GrantRecord,
    'id' | 'sessionId' | 'offline' | 'audience' | 'methods' | 'authenticatedAt' | 'expiresAt'
  >;
  /** Scopes of these tokens; the grant may have more. */
  readonly scopes: readonly string[];
  /** Audience of these tokens, when it is narrower than the grant's. */
  readonly audience?: readonly string[];
  readonly issuedAt: Date;
  /** Generation of the refresh token that goes with them. */
  readonly generation: number;
  readonly nonce: string | null;
}

/** The frame of a token that lives `ttlSeconds`, but not beyond `limit`. */
export function tokenFrame(
  deps: Pick<IdentityDeps, 'newId' | 'settings'>,
  facts: Pick<TokenFrame, 'audience' | 'scopes' | 'issuedAt'> & { ttlSeconds: number; limit: Date | null },
): TokenFrame {
  const { audience, scopes, issuedAt, ttlSeconds, limit } = facts;
  const end = addSeconds(issuedAt, ttlSeconds);
  const expiresAt = limit !== null && limit < end ? limit : end;
  return { issuer: deps.settings.issuer, tokenId: deps.newId('token'), audience, scopes, issuedAt, expiresAt };
}

/** No token outlives its login, nor the time for which the person's org lets the login count. */
export function tokenLimit({ expiresAt }: Pick<GrantRecord, 'expiresAt'>, { until }: DescribedPerson): Date {
  return until !== null && until < expiresAt ? until : expiresAt;
}

/** Lifetime of a token as `expires_in` says it. */
export function secondsOf(frame: Pick<TokenFrame, 'issuedAt' | 'expiresAt'>): number {
  return Math.max(0, epochSeconds(frame.expiresAt) - epochSeconds(frame.issuedAt));
}

/** Signs the tokens of a person's login: access token, refresh token where the client may refresh, ID token by `openid`. */
export async function signPersonTokens(deps: SigningDeps, facts: PersonTokens): Promise<TokenReply> {
  const { person, client, grant, scopes } = facts;
  const login = loginOf(grant, client.clientId);
  const frame = tokenFrame(deps, {
    audience: facts.audience ?? grant.audience,
    scopes,
    issuedAt: facts.issuedAt,
    ttlSeconds: client.accessTokenTtlSeconds,
    limit: tokenLimit(grant, person),
  });
  const accessToken = await signAccessToken(deps, personClaims(frame, person, login));
  const refreshes = client.allowedGrantTypes.includes('refresh_token');
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: secondsOf(frame),
    scope: scopes.join(' '),
    ...(refreshes ? { refresh_token: formatRefreshToken(deps.tokens, grant.id, facts.generation) } : {}),
    ...(scopes.includes('openid') ? { id_token: await signIdToken(deps, facts, frame, accessToken) } : {}),
  };
}

export function signAccessToken(
  deps: Pick<IdentityDeps, 'signer'>,
  claims: Omit<AccessTokenClaims, 'roles' | 'orgRoles'>,
): Promise<string> {
  return deps.signer.sign(claims, ACCESS_TOKEN_TYPE);
}

/** Log-out of the browser must not end a login that is meant to outlive it, so its access tokens name no session. */
export function loginOf(
  grant: Pick<GrantRecord, 'id' | 'sessionId' | 'offline' | 'methods' | 'authenticatedAt'>,
  clientId: string,
): TokenLogin {
  const { id, sessionId, offline, methods, authenticatedAt } = grant;
  return { grantId: id, sessionId: offline ? null : sessionId, clientId, methods, authenticatedAt };
}

function signIdToken(deps: SigningDeps, facts: PersonTokens, frame: TokenFrame, accessToken: string): Promise<string> {
  const { person, client, grant, nonce } = facts;
  const login = { ...loginOf(grant, client.clientId), sessionId: grant.sessionId };
  const own = { ...frame, tokenId: deps.newId('token') };
  const extra = { nonce, accessTokenHash: accessTokenHash(deps, accessToken) };
  return deps.signer.sign(idTokenClaims(own, person.user, login, extra), 'JWT');
}

/** Left half of the SHA-256 (OpenID Connect Core, 3.1.3.6). */
function accessTokenHash(deps: Pick<IdentityDeps, 'tokens'>, accessToken: string): string {
  return Buffer.from(deps.tokens.hash(accessToken), 'hex').subarray(0, 16).toString('base64url');
}
