import { startIdp } from '../../../../support/start-idp.ts';
import { authorizePath, type Browser, createBrowser, type Page } from '../browse.ts';

export const EMAIL = 'ada@example.com';
export const PASSWORD = 'correct horse battery';
export const REDIRECT = 'https://shop.example/api/auth/callback';

type Changes = Readonly<Record<string, string | undefined>>;

/** The provider with somebody signed in, a client that needs consent, and one that does not. */
export async function startAuthorize() {
  const idp = await startIdp();
  await idp.seedUser(EMAIL, { password: PASSWORD });
  const { secret } = await idp.seedClient('shop-prod', {
    name: 'The Shop',
    redirectUris: [REDIRECT],
    allowedScopes: ['openid', 'profile', 'email', 'offline_access', 'stock:read'],
  });
  await idp.seedClient('trusted-prod', { redirectUris: [REDIRECT], trustedClient: true });
  const ada = createBrowser(idp);
  await ada.logIn(EMAIL, PASSWORD);
  return {
    idp,
    ada,
    /** Of `shop-prod`. */
    secret,
    shop: (changes: Changes = {}) => authorizePath({ client_id: 'shop-prod', redirect_uri: REDIRECT, ...changes }),
    trusted: (changes: Changes = {}) =>
      authorizePath({ client_id: 'trusted-prod', redirect_uri: REDIRECT, ...changes }),
    /** Asks without following, as Ada unless another browser is given. */
    ask: (path: string, browser: Browser = ada): Promise<Page> => browser.request('GET', path),
  };
}

export type TestAuthorize = Awaited<ReturnType<typeof startAuthorize>>;
