import { Writable } from 'node:stream';
import { equalsSecret } from '../../adapters/crypto/equals-secret.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { type Caller, type Credentials, createInternalKeyAuth } from '../../api/http/caller.ts';
import { startServer } from '../../api/http/server.ts';
import { createTokenAuth } from '../../api/http/token-auth.ts';
import type { LockerDeps } from '../../api/locker/deps.ts';
import { createLockerApp } from '../../api/locker-app.ts';
import type { OrgRole } from '../../domain/roles.ts';
import type { TokenVerifier } from '../../sdk/index.ts';
import { createInMemoryAudit } from './in-memory/audit-recorder.ts';
import { createInMemoryLockerStore } from './in-memory/locker-store.ts';
import { createInMemoryReencryption } from './in-memory/reencryption.ts';
import type { Answer } from './start-api.ts';

export const KEY = 'internal-key-of-this-test-0123456789';

/** Another of a user id: `x-test-user: usr_eve@rival/admin`; without one it is `usr_test`. */
const USER = /^(?:(usr_\w+)@)?([\w-]*)\/(viewer|member|admin|super_admin)$/;

/**
 * The locker's app on a free port, on a store in memory unless another is given, with everything it logs. Tokens are played
 * by the headers `x-test-user: <org>/<role>` and `x-test-client: <client id>/<org>/<scope>…`, or those of a provider.
 */
export async function startLocker(
  changes: Partial<LockerDeps> = {},
  tokens: { verifier: TokenVerifier; issuer: string } | null = null,
) {
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  const now = () => new Date();
  const audit = createInMemoryAudit();
  const reencryption = createInMemoryReencryption();
  const deps: LockerDeps = {
    items: createInMemoryLockerStore(),
    cipher: createSecretCipher([Buffer.alloc(32, 5)], 'LOCKER_ENCRYPTION_KEY'),
    audit,
    orgs: null,
    newId,
    now,
    reencryption,
    resolvers: ['builder'],
    ...changes,
  };
  const internalKey = createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret });
  const authenticate = createTokenAuth({ internalKey, verifier: tokens?.verifier ?? null, platformOrg: 'platform' });
  const stopping = new AbortController();
  const app = createLockerApp(deps, {
    authenticate: async (request) => playedCaller(request) ?? (await authenticate(request)),
    ...(tokens === null ? {} : { protectedResource: { issuer: tokens.issuer, publicUrl: null } }),
    newId,
    log: createLogger({ name: 'test', level: 'debug', secrets: [KEY] }, sink),
    requestsPerMinute: 100_000,
    stopping: stopping.signal,
    health: { commit: 'c0ffee', version: '1.2.3', now, checks: {} },
  });
  const server = await startServer(app, { host: '127.0.0.1', port: 0, stopping, graceMs: 2_000 });
  async function call(
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(server.address + path, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }
  return { ...deps, reencryption, told: audit.told, address: server.address, call, logged, stop: () => server.stop() };
}

export type TestLocker = Awaited<ReturnType<typeof startLocker>>;

function playedCaller({ headers }: Credentials): Caller | null {
  const { 'x-test-user': user, 'x-test-client': client } = headers;
  if (typeof client === 'string') {
    const [clientId = '', org = '', ...scopes] = client.split('/');
    return { kind: 'service', clientId, org, name: clientId, scopes };
  }
  if (typeof user !== 'string') return null;
  const [, userId = 'usr_test', org = '', role = ''] = USER.exec(user) ?? [];
  const person = {
    via: 'token',
    userId,
    email: 'test@example.com',
    org,
    name: userId,
    clientId: 'fairlead-cli',
  } as const;
  return role === 'super_admin'
    ? { ...person, kind: 'platform-admin', role: 'admin' }
    : { ...person, kind: 'user', role: role as OrgRole };
}
