import { FairleadError } from '../errors.ts';
import type { AccessTokenClaims } from './claims.ts';
import { epochSeconds } from './token-lifetimes.ts';
import type { LoginMethod, UserRecord } from './user.ts';

/** What every token says of itself. */
export interface TokenFrame {
  readonly issuer: string;
  /** `tok_…`; the claim `jti`. */
  readonly tokenId: string;
  /** Never empty: there is no token without an audience. */
  readonly audience: readonly string[];
  /** Taken before anything was read that the token rests on: whatever is revoked after that voids it. */
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly scopes: readonly string[];
}

/** A person as tokens describe them. */
export interface TokenPerson {
  readonly user: Pick<UserRecord, 'id' | 'email' | 'emailVerified' | 'platformRoles'>;
  /** The org they act in, with their roles there; null for someone in no org. */
  readonly org: { readonly slug: string; readonly roles: readonly string[] } | null;
}

/** How and where a person logged in. */
export interface TokenLogin {
  readonly grantId: string;
  /** Null when ending the browser session must not end the token: no session, or a login meant to outlive it. */
  readonly sessionId: string | null;
  readonly clientId: string;
  readonly methods: readonly LoginMethod[];
  readonly authenticatedAt: Date;
}

/** Claims of a person's access token (spec 1, "Access-token claims"). `roles` and `orgRoles` never mix. */
export function personClaims(
  frame: TokenFrame,
  person: TokenPerson,
  login: TokenLogin,
  act: AccessTokenClaims['act'] | null = null,
): AccessTokenClaims {
  const { user, org } = person;
  return {
    ...frameClaims(frame),
    sub: user.id,
    identityId: user.id,
    client_id: login.clientId,
    email: user.email,
    email_verified: user.emailVerified,
    ...(org === null ? {} : { orgSlug: org.slug }),
    roles: [...user.platformRoles],
    orgRoles: org === null ? [] : [...org.roles],
    gid: login.grantId,
    ...(login.sessionId === null ? {} : { sid: login.sessionId }),
    auth_time: epochSeconds(login.authenticatedAt),
    amr: [...login.methods],
    ...(act === null ? {} : { act }),
  };
}

/** Claims of a service's own token: it is nobody's, so it has neither roles nor an e-mail address. */
export function serviceClaims(
  frame: TokenFrame,
  client: { readonly clientId: string; readonly orgSlug: string },
): Omit<AccessTokenClaims, 'roles' | 'orgRoles'> {
  return {
    ...frameClaims(frame),
    sub: client.clientId,
    client_id: client.clientId,
    orgSlug: client.orgSlug,
    token_type: 'client_credentials',
  };
}

/** Claims about the person that the granted scopes show (OpenID Connect Core, 5.4). */
export function profileClaims(
  user: Pick<UserRecord, 'email' | 'emailVerified' | 'firstName' | 'lastName' | 'avatar'>,
  scopes: readonly string[],
): Record<string, unknown> {
  const name = [user.firstName, user.lastName].filter((part) => part !== '').join(' ');
  const profile = {
    ...(name === '' ? {} : { name }),
    ...(user.firstName === '' ? {} : { given_name: user.firstName }),
    ...(user.lastName === '' ? {} : { family_name: user.lastName }),
    ...(user.avatar === null ? {} : { picture: user.avatar }),
  };
  return {
    ...(scopes.includes('profile') ? profile : {}),
    ...(scopes.includes('email') ? { email: user.email, email_verified: user.emailVerified } : {}),
  };
}

/** Claims of an ID token (OpenID Connect Core, 2): it is for the client alone, and tells of the login. */
export function idTokenClaims(
  frame: Pick<TokenFrame, 'issuer' | 'tokenId' | 'issuedAt' | 'expiresAt' | 'scopes'>,
  user: UserRecord,
  login: Omit<TokenLogin, 'grantId'>,
  extra: { readonly nonce: string | null; readonly accessTokenHash: string },
): Record<string, unknown> {
  return {
    iss: frame.issuer,
    sub: user.id,
    aud: login.clientId,
    azp: login.clientId,
    exp: epochSeconds(frame.expiresAt),
    iat: epochSeconds(frame.issuedAt),
    jti: frame.tokenId,
    auth_time: epochSeconds(login.authenticatedAt),
    amr: login.methods,
    at_hash: extra.accessTokenHash,
    ...(extra.nonce === null ? {} : { nonce: extra.nonce }),
    ...(login.sessionId === null ? {} : { sid: login.sessionId }),
    ...profileClaims(user, frame.scopes),
  };
}

function frameClaims(frame: TokenFrame) {
  const [only, ...others] = frame.audience;
  if (only === undefined) throw new FairleadError('INTERNAL', 'a token without an audience');
  return {
    iss: frame.issuer,
    aud: others.length === 0 ? only : [...frame.audience],
    exp: epochSeconds(frame.expiresAt),
    iat: epochSeconds(frame.issuedAt),
    jti: frame.tokenId,
    scope: frame.scopes.join(' '),
  };
}
