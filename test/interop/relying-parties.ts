import type { UserRecord } from '../../domain/identity/user.ts';
import { type Browser, createBrowser, type Page } from '../api/identity/pages/browse.ts';
import { startIdp, type TestIdp } from '../support/start-idp.ts';

export const CALLBACK = 'https://shop.example/api/auth/callback';
export const LOOPBACK = 'http://127.0.0.1:49152/callback';
export const SIGNED_OUT = 'https://shop.example/signed-out';
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

const EMAIL = 'grace@acme.example';
const PASSWORD = 'correct horse battery';

/**
 * The whole provider with three clients as third parties have them: a web shop with a secret, a program on a machine
 * without one, and a television. What a person does is done on the real pages by `person`.
 */
export async function startRelyingParties() {
  const idp = await startIdp();
  await idp.seedOrg('acme');
  const user = await idp.seedUser(EMAIL, { password: PASSWORD, org: 'acme' });
  const shop = await idp.seedClient('shop-prod', {
    orgSlug: 'acme',
    service: 'shop',
    environment: 'prod',
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: [SIGNED_OUT],
    allowedScopes: ['openid', 'profile', 'email', 'offline_access', 'stock:read'],
  });
  await idp.seedClient('stock-prod', { orgSlug: 'acme', service: 'stock', environment: 'prod' });
  await idp.seedClient('desktop', {
    clientType: 'public',
    redirectUris: ['http://127.0.0.1/callback'],
    allowedGrantTypes: ['authorization_code', 'refresh_token'],
  });
  await idp.seedClient('tv', { clientType: 'public', allowedGrantTypes: [DEVICE_GRANT, 'refresh_token'] });
  return { idp, user, secret: shop.secret, person: createPerson(idp, user), stop: () => idp.stop() };
}

export type RelyingParties = Awaited<ReturnType<typeof startRelyingParties>>;

/** Somebody with a browser of their own, who does on the pages what a library leaves to people. */
function createPerson(idp: TestIdp, user: UserRecord) {
  async function signedIn(browser: Browser, page: Page): Promise<Page> {
    if (page.title !== 'Sign in') return page;
    return browser.follow(await browser.submit(page, '/login', { email: user.email, password: PASSWORD }));
  }
  const pathOf = (url: URL | string): string => {
    const { origin, pathname, search } = new URL(url);
    if (origin !== idp.issuer) throw new Error(`the library leads elsewhere: ${origin}`);
    return pathname + search;
  };
  return {
    /** Follows an authorization URL. @returns the browser, and the address that the provider sent it back to */
    async authorize(
      url: URL | string,
      { decision = 'allow', browser = createBrowser(idp) }: { decision?: 'allow' | 'deny'; browser?: Browser } = {},
    ): Promise<{ callback: URL; browser: Browser }> {
      let page = await signedIn(browser, await browser.open(pathOf(url)));
      if (page.location === null) page = await browser.submit(page, '/oauth/authorize/decision', { decision });
      if (page.location === null) throw new Error(`no way back: ${page.status} ${page.html}`);
      return { callback: new URL(page.location), browser };
    },
    /** Opens the address that a device shows, compares the code, and agrees. */
    async connect(url: string, decision: 'allow' | 'deny' = 'allow'): Promise<void> {
      const browser = createBrowser(idp);
      const page = await signedIn(browser, await browser.open(pathOf(url)));
      const userCode = new URL(url).searchParams.get('user_code') ?? '';
      const confirm = await browser.submit(page, '/oauth/device', { user_code: userCode });
      const done = await browser.submit(confirm, '/oauth/device/decision', { decision });
      if (done.status !== 200) throw new Error(`the device was not connected: ${done.status} ${done.html}`);
    },
    /** Follows a log-out URL. @returns where that leads */
    async leave(url: URL | string, browser: Browser): Promise<URL> {
      const page = await browser.request('GET', pathOf(url));
      if (page.location === null) throw new Error(`no way back: ${page.status} ${page.html}`);
      return new URL(page.location);
    },
    /** Whether the browser is still signed in at the provider. */
    isSignedIn: async (browser: Browser): Promise<boolean> => (await browser.open('/account')).title === 'Your account',
  };
}
