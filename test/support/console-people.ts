import assert from 'node:assert/strict';
import { createCodeLogin } from '../../adapters/idp/code-login.ts';
import type { UserRecord } from '../../domain/identity/user.ts';
import { SERVICE_ROWS, type ServiceName, serviceRow } from '../../domain/services.ts';
import { createTokenVerifier, type TokenVerifier } from '../../sdk/index.ts';
import { createHttpPlatform, type PlatformUrls } from '../../web/platform/http-platform.ts';
import { createLogins } from '../api/identity/oauth/logins.ts';
import { startConsole, type TestConsole } from './start-console.ts';
import { KEY, type TestIdp } from './start-idp.ts';

const EVERY_SERVICE = SERVICE_ROWS.flatMap(({ platformClient }) => platformClient ?? []);

/**
 * Browsers of people who are signed in at the console, with tokens of the real provider; the console calls the real services
 * at `urls` with them.
 */
export function createConsolePeople(idp: TestIdp, urls: PlatformUrls = {}) {
  const logins = createLogins(idp);
  const started: TestConsole[] = [];

  /** A console of their own each, on which nobody else signs in. */
  async function browserOf({ id }: Pick<UserRecord, 'id'>) {
    const [user, client] = await Promise.all([idp.deps.users.find(id), idp.deps.clients.find('fairlead-cli')]);
    if (user === null || client === null) throw new Error('nobody to sign in');
    const issuer = createCodeLogin({ issuer: idp.issuer, clientId: client.clientId, redirectUri: 'http://localhost/' });
    const console = await startConsole({
      deps: {
        platformAs: createHttpPlatform({ urls: { idp: idp.address, ...urls } }),
        login: {
          ...issuer,
          begin: async () => ({ url: idp.issuer, attempt: { verifier: 'verifier', state: 'state', nonce: 'nonce' } }),
          finish: async () => {
            const { tokens } = await logins.login({ client, secret: '' }, user, { audience: EVERY_SERVICE });
            const { access_token: accessToken = '', refresh_token: refreshToken = '' } = tokens;
            return { accessToken, refreshToken, expiresInSeconds: 3_600 };
          },
        },
      },
    });
    started.push(console);
    const browser = console.browse();
    await browser.signIn();
    return { ...browser, address: console.address, logged: console.logged };
  }

  return {
    browserOf,
    stop: async () => {
      await Promise.all(started.map((console) => console.stop()));
    },
  };
}

export type ConsolePeople = ReturnType<typeof createConsolePeople>;
export type PersonBrowser = Awaited<ReturnType<ConsolePeople['browserOf']>>;

/** What a service checks tokens of people with. */
export function verifierOf(idp: TestIdp, service: ServiceName): TokenVerifier {
  const audience = serviceRow(service).platformClient ?? service;
  return createTokenVerifier({ idpUrl: idp.issuer, audience, revocations: { internalKey: KEY } });
}

/** Sends a form, and reads the page that it leads to. */
export async function submitted(
  browser: PersonBrowser,
  page: string,
  action: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  const sent = await browser.submit(page, action, fields);
  assert.equal(sent.status, 303, wordsOf(sent.text));
  return (await browser.get(sent.headers.get('location') ?? '')).text;
}

/** What a page says, without its markup. */
export function wordsOf(page: string): string {
  return page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
}
