import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Revocation } from '../../../domain/identity/revocation.ts';
import { revocationFeedOf } from '../../../domain/identity/revocation-feed.ts';

/**
 * An identity provider on loopback as far as verifiers see one: key set, denylist and token endpoint over real HTTP,
 * with every request counted. Signing is the test's own, so that tokens can be made that no provider would make.
 */
export async function startProvider() {
  const counts = new Map<string, number>();
  const seen: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const keys = new Map<string, Awaited<ReturnType<typeof newKey>>>([['key_1', await newKey('key_1')]]);
  const revocations: Revocation[] = [];
  const provider = {
    url: '',
    keys,
    revocations,
    /** Ids of keys that were withdrawn. */
    withdrawnKeys: [] as string[],
    seen,
    /** What each path answers instead, such as 503. */
    broken: new Map<string, number>(),
    /** Held answers wait for this. */
    gate: Promise.resolve(),
    tokenReply: {
      status: 200,
      body: { access_token: 'service-token-1', token_type: 'Bearer', expires_in: 3600 } as object,
    },
    count: (path: string) => counts.get(path) ?? 0,
    addKey: async (kid: string) => {
      keys.set(kid, await newKey(kid));
    },
    sign: (claims: Claims = {}, header: Record<string, unknown> = {}, kid = 'key_1') =>
      sign(provider.url, keys.get(kid)?.privateKey, claims, { kid, ...header }),
    revoke: (kind: Revocation['kind'], value: string, issuedUntil = new Date()) => {
      const expiresAt = new Date(Date.now() + 3_600_000);
      revocations.push({ kind, value, issuedUntil, revokedAt: new Date(), expiresAt });
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    counts.set(url.pathname, (counts.get(url.pathname) ?? 0) + 1);
    let body = '';
    for await (const chunk of request) body += String(chunk);
    seen.push({ path: url.pathname + url.search, headers: request.headers, body });
    await provider.gate;
    const broken = provider.broken.get(url.pathname);
    const { status, data } = broken === undefined ? reply(url) : { status: broken, data: {} };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data));
  };
  const reply = (url: URL): { status: number; data: unknown } => {
    if (url.pathname === '/.well-known/jwks.json') {
      return { status: 200, data: { keys: [...keys.values()].map(({ publicJwk }) => publicJwk) } };
    }
    if (url.pathname === '/api/oauth/revocations') {
      const since = new Date(url.searchParams.get('since') ?? 0);
      const entries = revocations.filter(({ revokedAt }) => revokedAt >= since);
      const feed = revocationFeedOf(entries, new Date(), (text) => hash('sha256', text, 'hex'));
      return { status: 200, data: { ...feed, withdrawnKeys: provider.withdrawnKeys } };
    }
    if (url.pathname === '/api/oauth/token')
      return { status: provider.tokenReply.status, data: provider.tokenReply.body };
    return { status: 404, data: {} };
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}

export type Provider = Awaited<ReturnType<typeof startProvider>>;

export type Claims = Readonly<Record<string, unknown>>;

export const AUDIENCE = 'orders-prod';

/** A key pair with its public half as a key set shows it. */
async function newKey(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const { n = '', e = '' } = await exportJWK(publicKey);
  return { privateKey, publicJwk: { kty: 'RSA' as const, n, e, kid, use: 'sig' as const, alg: 'RS256' as const } };
}

/** A good access token of a person, but for what the test says otherwise; `undefined` takes a claim out. */
async function sign(
  issuer: string,
  key: Awaited<ReturnType<typeof newKey>>['privateKey'] | undefined,
  claims: Claims,
  header: Record<string, unknown>,
): Promise<string> {
  if (key === undefined) throw new Error('the provider has no such key');
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: issuer,
    sub: 'usr_1',
    aud: AUDIENCE,
    iat: now,
    exp: now + 3600,
    jti: `tok_${crypto.randomUUID()}`,
    client_id: AUDIENCE,
    scope: 'openid email',
    identityId: 'usr_1',
    email: 'ann@acme.example',
    orgSlug: 'acme',
    roles: [],
    orgRoles: ['member'],
    gid: 'grt_1',
    sid: 'ses_1',
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', ...header }).sign(key);
}
