import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as oidc from 'openid-client';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { type Browser, createBrowser, type Page } from './browse.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery';
const REDIRECT = 'https://shop.example/api/auth/callback';
const AFTER = 'https://shop.example/bye';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

describe('a standard client works unchanged with the pages', () => {
  let idp: TestIdp;
  let config: oidc.Configuration;
  before(async () => {
    idp = await startIdp();
    await idp.seedUser(EMAIL, { password: PASSWORD });
    const { secret } = await idp.seedClient('shop-prod', {
      redirectUris: [REDIRECT],
      postLogoutRedirectUris: [AFTER],
      allowedScopes: ['openid', 'profile', 'email', 'offline_access'],
      allowedGrantTypes: ['authorization_code', 'refresh_token', DEVICE_GRANT],
    });
    config = await oidc.discovery(new URL(idp.issuer), 'shop-prod', secret, undefined, {
      execute: [oidc.allowInsecureRequests],
    });
  });
  after(() => idp.stop());

  const pathOf = (url: URL): string => url.pathname + url.search;

  async function agree(browser: Browser, page: Page): Promise<Page> {
    return browser.follow(await browser.submit(page, '/oauth/authorize/decision', { decision: 'allow' }));
  }

  it('signs in with nonce and max_age, reads the person, refreshes, and signs out', async () => {
    const verifier = oidc.randomPKCECodeVerifier();
    const state = oidc.randomState();
    const nonce = oidc.randomNonce();
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: 'openid profile email offline_access',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      max_age: '300',
    });
    const browser = createBrowser(idp);
    const login = await browser.open(pathOf(url));
    const consent = await browser.follow(await browser.submit(login, '/login', { email: EMAIL, password: PASSWORD }));
    const back = await agree(browser, consent);
    const tokens = await oidc.authorizationCodeGrant(config, new URL(back.location ?? ''), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      maxAge: 300,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    assert.ok(claims !== undefined);
    assert.deepEqual(claims.amr, ['pwd']);
    const person = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
    assert.equal(person.email, EMAIL);
    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
    assert.notEqual(refreshed.access_token, tokens.access_token);
    const logout = oidc.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: AFTER,
      state: 'bye',
    });
    assert.equal((await browser.request('GET', pathOf(logout))).location, `${AFTER}?state=bye`);
    assert.equal((await browser.open('/account')).title, 'Sign in');
  });

  it('reads a refusal as the error it is', async () => {
    const verifier = oidc.randomPKCECodeVerifier();
    const state = oidc.randomState();
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      prompt: 'none',
    });
    const { location } = await createBrowser(idp).request('GET', pathOf(url));
    const grant = oidc.authorizationCodeGrant(config, new URL(location ?? ''), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    await assert.rejects(grant, { code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR', error: 'login_required' });
  });

  it('connects a device', async () => {
    const device = await oidc.initiateDeviceAuthorization(config, { scope: 'openid' });
    const browser = createBrowser(idp);
    const link = new URL(device.verification_uri_complete ?? device.verification_uri);
    const login = await browser.open(pathOf(link));
    const page = await browser.follow(await browser.submit(login, '/login', { email: EMAIL, password: PASSWORD }));
    const confirm = await browser.submit(page, '/oauth/device', { user_code: device.user_code });
    await browser.submit(confirm, '/oauth/device/decision', { decision: 'allow' });
    const tokens = await oidc.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.1 });
    assert.match(tokens.access_token, /^eyJ/);
  });
});
