import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { AccessTokenClaims } from '../../../../domain/identity/claims.ts';
import type { AuthorizationCode, SessionRecord } from '../../../../domain/identity/login.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import type { ClientRecord } from '../../../../domain/oauth-clients/client.ts';
import type { Answer, TestIdp } from '../../../support/start-idp.ts';

export const CALLBACK = 'https://shop.example/api/auth/callback';

export type Seeded = { readonly client: ClientRecord; readonly secret: string };

/** Claims of an access token, unverified. */
export const claimsOf = (token: string): AccessTokenClaims => decodeJwt(token) as unknown as AccessTokenClaims;

/** Basic credentials as RFC 6749, 2.3.1 has them. */
export function basic(clientId: string, secret: string): Record<string, string> {
  const text = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

/** Calls of the token endpoint, with logins as the pages make them. */
export function createLogins(idp: TestIdp) {
  const { deps } = idp;
  let counter = 0;

  const credentials = ({ client, secret }: Seeded): Record<string, string> => ({
    client_id: client.clientId,
    ...(client.clientType === 'public' ? {} : { client_secret: secret }),
  });

  const token = (of: Seeded, form: Record<string, string>): Promise<Answer> =>
    idp.call('POST', '/api/oauth/token', { form: { ...credentials(of), ...form } });

  async function seedSession(user: UserRecord): Promise<SessionRecord> {
    const now = deps.now();
    const session: SessionRecord = {
      id: deps.newId('session'),
      userId: user.id,
      secretHash: deps.tokens.hash(deps.tokens.create('flss_')),
      methods: ['pwd'],
      authenticatedAt: now,
      address: '127.0.0.1',
      userAgent: 'test',
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(now.getTime() + 7 * 86_400_000),
      revokedAt: null,
    };
    await deps.sessions.insert(session);
    return session;
  }

  /** An authorization code, as the consent page hands it out, with all that its redemption needs. */
  async function seedCode(of: Seeded, user: UserRecord, changes: Partial<AuthorizationCode> = {}) {
    const code = deps.tokens.create('flac_');
    const verifier = randomBytes(32).toString('base64url');
    const session = changes.sessionId === undefined ? await seedSession(user) : { id: changes.sessionId };
    const now = deps.now();
    const record: AuthorizationCode = {
      codeHash: deps.tokens.hash(code),
      clientId: of.client.clientId,
      redirectUri: CALLBACK,
      userId: user.id,
      scopes: ['openid', 'profile', 'email'],
      audience: [of.client.clientId],
      nonce: null,
      codeChallenge: Buffer.from(deps.tokens.hash(verifier), 'hex').toString('base64url'),
      methods: ['pwd'],
      authenticatedAt: now,
      expiresAt: new Date(now.getTime() + 60_000),
      redeemedFor: null,
      sessionId: session.id,
      ...changes,
    };
    await deps.codes.insert(record);
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: record.redirectUri };
    return { form, sessionId: session.id };
  }

  /** A whole login: its tokens and its session. */
  async function login(of: Seeded, user: UserRecord, changes: Partial<AuthorizationCode> = {}) {
    const { form, sessionId } = await seedCode(of, user, changes);
    const answer = await token(of, form);
    if (answer.status !== 200) throw new Error(`the login failed: ${answer.text}`);
    return { tokens: answer.body as Record<string, string>, sessionId };
  }

  const refresh = (of: Seeded, refreshToken: string | undefined, more: Record<string, string> = {}): Promise<Answer> =>
    token(of, { grant_type: 'refresh_token', refresh_token: refreshToken ?? '', ...more });

  const introspect = async (of: Seeded, presented: string | undefined) =>
    (await idp.call('POST', '/api/oauth/introspect', { form: { ...credentials(of), token: presented ?? '' } })).body;

  /** A client, with an id nobody has yet. */
  const client = (fields: Partial<ClientRecord> = {}): Promise<Seeded> => {
    counter += 1;
    return idp.seedClient(fields.clientId ?? `client-${counter}`, { redirectUris: [CALLBACK], ...fields });
  };

  const person = (given: Parameters<TestIdp['seedUser']>[1] = {}): Promise<UserRecord> => {
    counter += 1;
    return idp.seedUser(`person-${counter}@example.com`, given);
  };

  return { token, credentials, seedSession, seedCode, login, refresh, introspect, client, person };
}

export type Logins = ReturnType<typeof createLogins>;

/** Fifty at once. */
export function fifty<T>(work: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: 50 }, work));
}
