import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { startServer } from '../../api/http/server.ts';
import type { Clock } from '../../domain/clock.ts';
import type { CodeLogin, LoginRenewal, LoginTokens } from '../../domain/identity/code-login.ts';
import { type ConsoleDeps, createConsoleApp } from '../../web/console-app.ts';
import { CSRF_FIELD } from '../../web/look/forms.ts';
import { WEB_MODULES } from '../../web/pages.ts';
import type { Platform } from '../../web/platform/platform.ts';
import { freePort } from './free-port.ts';

/** Who is signed in, as their token says it. */
export interface TestPerson {
  readonly userId?: string;
  readonly email?: string;
  readonly org?: string;
  readonly orgRoles?: readonly string[];
  readonly platformRoles?: readonly string[];
}

/** A token as the provider makes them, but for its signature, which the console leaves to the services. */
export function testToken(person: TestPerson = {}, number = 0): string {
  const { userId = 'usr_ann', email = 'ann@acme.example', org = 'acme', orgRoles = ['admin'] } = person;
  const claims = {
    ...{ iss: 'http://idp.test', sub: userId, identityId: userId, aud: ['builder'], client_id: 'console' },
    ...{ exp: 4_000_000_000, iat: 1, jti: `tok_${number}`, email },
    ...(org === '' ? {} : { orgSlug: org }),
    ...{ orgRoles, roles: person.platformRoles ?? [] },
  };
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', typ: 'at+jwt' })}.${part(claims)}.signature`;
}

/** A provider in memory: it lets `person` in, and each refresh token through once. */
export function createTestLogin(person: TestPerson) {
  let generation = 0;
  const ended = new Set<string>();
  const tokens = (): LoginTokens => {
    generation += 1;
    const name = `refresh-${generation}`;
    return { accessToken: testToken(person, generation), expiresInSeconds: 3_600, refreshToken: name };
  };
  const refreshed: string[] = [];
  const revoked: string[] = [];
  const login: CodeLogin & LoginRenewal = {
    begin: async () => ({
      url: 'http://idp.test/authorize',
      attempt: { verifier: 'verifier', state: 'state', nonce: 'nonce' },
    }),
    finish: async () => tokens(),
    refresh: async (token) => {
      refreshed.push(token);
      if (ended.has(token)) throw new Error(`${token} was used twice`);
      ended.add(token);
      return tokens();
    },
    revoke: async (token) => void revoked.push(token),
  };
  return { login, refreshed, revoked };
}

export interface ConsoleChanges {
  readonly person?: TestPerson;
  readonly platform?: Platform;
  readonly deps?: Partial<ConsoleDeps>;
  /** Once the console has an address. */
  readonly depsAt?: (address: string) => Partial<ConsoleDeps>;
  readonly now?: Clock;
}

/** The console on a free port, with a provider in memory. */
export async function startConsole(changes: ConsoleChanges = {}) {
  const { now = () => new Date() } = changes;
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const provider = createTestLogin(changes.person ?? {});
  const stopping = new AbortController();
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  const deps: ConsoleDeps = {
    modules: WEB_MODULES,
    login: provider.login,
    cipher: createSecretCipher([randomBytes(32)], 'CONSOLE_ENCRYPTION_KEY'),
    platformAs: () => changes.platform ?? noPlatform,
    addresses: { idp: 'http://localhost:3001' },
    publicUrl: address,
    now,
    ...changes.deps,
    ...changes.depsAt?.(address),
  };
  const app = createConsoleApp(deps, {
    newId,
    log: createLogger({ name: 'test', level: 'debug', secrets: [] }, sink),
    requestsPerMinute: 1_000_000,
    stopping: stopping.signal,
    health: { commit: 'c0ffee', version: '1.2.3', now, checks: {} },
  });
  const server = await startServer(app, { host: '127.0.0.1', port, stopping, graceMs: 1_000 });
  return { address, provider, logged, browse: () => createBrowser(address), stop: server.stop };
}

const noPlatform: Platform = {
  get: () => Promise.reject(new Error('no part of the platform is there')),
  send: () => Promise.reject(new Error('no part of the platform is there')),
  // biome-ignore lint/correctness/useYield: there is nothing to follow
  follow: async function* () {
    throw new Error('no part of the platform is there');
  },
};

export type TestConsole = Awaited<ReturnType<typeof startConsole>>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser without a screen: it keeps cookies, and follows no redirect. */
export function createBrowser(address: string) {
  const cookies = new Map<string, string>();
  const request = async (path: string, init: RequestInit = {}): Promise<Reply> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, address), {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie === '' ? {} : { cookie }), accept: 'text/html', ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const get = (path: string, headers: Record<string, string> = {}) => request(path, { headers });
  return {
    cookies,
    get,
    request,
    /** Through the provider, which asks nothing. */
    async signIn(to?: string): Promise<Reply> {
      await get(`/sign-in${to === undefined ? '' : `?${new URLSearchParams({ to })}`}`);
      return get('/api/auth/callback?code=code&state=state');
    },
    /** Sends a form as a page of the console does. @param page where the form is, which has the token of the session */
    async submit(
      page: string,
      action: string,
      fields: Record<string, string> = {},
      headers: Record<string, string> = {},
    ): Promise<Reply> {
      const token = csrfOf((await get(page)).text);
      return request(action, {
        method: 'POST',
        headers: { origin: address, 'sec-fetch-site': 'same-origin', ...headers },
        body: new URLSearchParams({ [CSRF_FIELD]: token, ...fields }),
      });
    },
  };
}

export function csrfOf(page: string): string {
  return new RegExp(`name="${CSRF_FIELD}" value="([^"]+)"`).exec(page)?.[1] ?? '';
}
