import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as oidc from 'openid-client';
import {
  ACCESS_TOKEN,
  CALLBACK,
  EXCHANGE_GRANT,
  LOOPBACK,
  type RelyingParties,
  SIGNED_OUT,
  startRelyingParties,
} from './relying-parties.ts';

/** The library as it is published; the only thing allowed to it is plain HTTP, which the loopback is. */
const options: oidc.DiscoveryRequestOptions = { execute: [oidc.allowInsecureRequests] };

describe('openid-client, unchanged', () => {
  let parties: RelyingParties;
  let shop: oidc.Configuration;
  before(async () => {
    parties = await startRelyingParties();
    shop = await discover('shop-prod', oidc.ClientSecretBasic(parties.secret));
  });
  after(() => parties.stop());

  const discover = (
    clientId: string,
    authentication: oidc.ClientAuth,
    more: oidc.DiscoveryRequestOptions = {},
  ): Promise<oidc.Configuration> =>
    oidc.discovery(new URL(parties.idp.issuer), clientId, {}, authentication, { ...options, ...more });

  /** A login as an application writes it down. */
  async function logIn(config: oidc.Configuration, redirectUri: string, scope = 'openid profile email') {
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
    const expected = { expectedState: oidc.randomState(), expectedNonce: oidc.randomNonce() };
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope,
      state: expected.expectedState,
      nonce: expected.expectedNonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      max_age: '3600',
    });
    const { callback, browser } = await parties.person.authorize(url);
    const checks = { pkceCodeVerifier, ...expected, idTokenExpected: true, maxAge: 3600 };
    const tokens = await oidc.authorizationCodeGrant(config, callback, checks);
    return { tokens, callback, checks, browser };
  }

  it('finds the provider by either metadata document', async () => {
    const rfc8414 = await discover('shop-prod', oidc.ClientSecretBasic(parties.secret), { algorithm: 'oauth2' });
    assert.deepEqual(rfc8414.serverMetadata(), shop.serverMetadata());
    assert.equal(shop.serverMetadata().supportsPKCE(), true);
  });

  it('signs a person in by code and PKCE, and verifies the ID token itself', async () => {
    const { tokens, callback } = await logIn(shop, CALLBACK);
    const claims = tokens.claims();
    assert.equal(claims?.sub, parties.user.id);
    assert.equal(claims?.aud, 'shop-prod');
    assert.equal(callback.searchParams.get('iss'), parties.idp.issuer);
    assert.equal(tokens.token_type, 'bearer');
    assert.ok((tokens.expiresIn() ?? 0) > 3590);
    const info = await oidc.fetchUserInfo(shop, tokens.access_token, parties.user.id);
    assert.deepEqual({ email: info.email, name: info.name }, { email: parties.user.email, name: 'Ada Lovelace' });
  });

  it('checks the signature of the ID token against the published keys', async () => {
    const config = await discover('shop-prod', oidc.ClientSecretPost(parties.secret));
    oidc.enableNonRepudiationChecks(config);
    assert.equal((await logIn(config, CALLBACK)).tokens.claims()?.sub, parties.user.id);
  });

  it('signs a person in from a program without a secret, on a port of the moment', async () => {
    const { tokens } = await logIn(await discover('desktop', oidc.None()), LOOPBACK);
    assert.equal(tokens.claims()?.aud, 'desktop');
    assert.ok(tokens.refresh_token);
  });

  it('refuses what comes back with another state, from another issuer, or a second time', async () => {
    const { callback, checks } = await logIn(shop, CALLBACK);
    const again = oidc.authorizationCodeGrant(shop, callback, checks);
    await assert.rejects(again, { error: 'invalid_grant', status: 400 });
    const elsewhere = new URL(callback);
    elsewhere.searchParams.set('iss', 'https://evil.example');
    const refusedFor = (word: RegExp) => (error: Error) => word.test(String(error.cause));
    await assert.rejects(oidc.authorizationCodeGrant(shop, elsewhere, checks), refusedFor(/"iss" \(issuer\)/));
    const otherState = { ...checks, expectedState: 'another' };
    await assert.rejects(oidc.authorizationCodeGrant(shop, callback, otherState), refusedFor(/"state"/));
  });

  it('learns that the person said no, as an error of the standard', async () => {
    const config = await discover('desktop', oidc.None());
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: LOOPBACK,
      scope: 'openid email',
      prompt: 'consent',
      state: 'the-state',
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const { callback } = await parties.person.authorize(url, { decision: 'deny' });
    const checks = { pkceCodeVerifier, expectedState: 'the-state' };
    await assert.rejects(oidc.authorizationCodeGrant(config, callback, checks), { error: 'access_denied' });
  });

  it('connects a device: waits while nobody answered, and has the tokens of a login afterwards', async () => {
    let polls = 0;
    const answers: string[] = [];
    const tv = await discover('tv', oidc.None());
    const asked = Promise.withResolvers<void>();
    tv[oidc.customFetch] = async (url, init) => {
      const response = await fetch(url, init as RequestInit);
      if (url.endsWith('/api/oauth/token')) {
        polls += 1;
        answers.push(((await response.clone().json()) as { error?: string }).error ?? 'tokens');
        asked.resolve();
      }
      return response;
    };
    const device = await oidc.initiateDeviceAuthorization(tv, { scope: 'openid email' });
    const polling = oidc.pollDeviceAuthorizationGrant(tv, device, undefined, { signal: AbortSignal.timeout(60_000) });
    await asked.promise;
    await parties.person.connect(device.verification_uri_complete ?? '');
    const tokens = await polling;
    assert.deepEqual({ polls, answers }, { polls: 2, answers: ['authorization_pending', 'tokens'] });
    assert.equal(tokens.claims()?.sub, parties.user.id);
    assert.ok(tokens.refresh_token);
  });

  it('gets a token for a service, by every way a client may prove itself', async () => {
    for (const authentication of [oidc.ClientSecretBasic(parties.secret), oidc.ClientSecretPost(parties.secret)]) {
      const config = await discover('shop-prod', authentication);
      const tokens = await oidc.clientCredentialsGrant(config, { scope: 'stock:read', resource: 'stock-prod' });
      assert.equal(tokens.scope, 'stock:read');
      const found = await oidc.tokenIntrospection(config, tokens.access_token);
      assert.deepEqual([found.active, found.aud, found.org_slug], [true, 'stock-prod', 'acme']);
    }
    const wrong = await discover('shop-prod', oidc.ClientSecretBasic('flcs_wrong'));
    const refused = await oidc.clientCredentialsGrant(wrong).catch((error: unknown) => error);
    // A Basic header that is refused is answered by a challenge (RFC 6749, 5.2), which the library reads.
    assert.ok(refused instanceof oidc.WWWAuthenticateChallengeError, String(refused));
    assert.deepEqual([refused.status, refused.cause[0]?.scheme], [401, 'basic']);
  });

  it('refreshes: each token once, the answer again for one that was lost, and the same person', async () => {
    const { tokens } = await logIn(shop, CALLBACK);
    const first = tokens.refresh_token ?? '';
    const next = await oidc.refreshTokenGrant(shop, first);
    assert.notEqual(next.refresh_token, first);
    assert.equal(next.claims()?.sub, parties.user.id);
    assert.equal((await oidc.refreshTokenGrant(shop, first)).refresh_token, next.refresh_token);
    const third = await oidc.refreshTokenGrant(shop, next.refresh_token ?? '');
    await assert.rejects(oidc.refreshTokenGrant(shop, first), { error: 'invalid_grant' });
    await assert.rejects(oidc.refreshTokenGrant(shop, third.refresh_token ?? ''), { error: 'invalid_grant' });
  });

  it('gives tokens up, and introspection knows', async () => {
    const { tokens } = await logIn(shop, CALLBACK);
    assert.equal((await oidc.tokenIntrospection(shop, tokens.access_token)).active, true);
    await oidc.tokenRevocation(shop, tokens.access_token);
    assert.equal((await oidc.tokenIntrospection(shop, tokens.access_token)).active, false);
    const refresh = tokens.refresh_token ?? '';
    assert.equal((await oidc.tokenIntrospection(shop, refresh, { token_type_hint: 'refresh_token' })).active, true);
    await oidc.tokenRevocation(shop, refresh, { token_type_hint: 'refresh_token' });
    assert.equal((await oidc.tokenIntrospection(shop, refresh)).active, false);
    await assert.rejects(oidc.refreshTokenGrant(shop, refresh), { error: 'invalid_grant' });
    await assert.rejects(oidc.fetchUserInfo(shop, tokens.access_token, parties.user.id), { status: 401 });
  });

  it('exchanges the own login of the command line for a token of a service', async () => {
    const cli = await discover('fairlead-cli', oidc.None());
    const { tokens } = await logIn(cli, LOOPBACK, 'openid email offline_access');
    const exchanged = await oidc.genericGrantRequest(cli, EXCHANGE_GRANT, {
      subject_token: tokens.access_token,
      subject_token_type: ACCESS_TOKEN,
      audience: 'shop-prod',
    });
    assert.equal(exchanged.issued_token_type, ACCESS_TOKEN);
    const found = await oidc.tokenIntrospection(shop, exchanged.access_token);
    assert.deepEqual([found.active, found.aud, found.sub], [true, 'shop-prod', parties.user.id]);
  });

  it('signs the person out at the provider and comes back', async () => {
    const { tokens, browser } = await logIn(shop, CALLBACK);
    assert.equal(await parties.person.isSignedIn(browser), true);
    const url = oidc.buildEndSessionUrl(shop, {
      post_logout_redirect_uri: SIGNED_OUT,
      id_token_hint: tokens.id_token ?? '',
      state: 'bye',
    });
    assert.equal((await parties.person.leave(url, browser)).href, `${SIGNED_OUT}?state=bye`);
    assert.equal(await parties.person.isSignedIn(browser), false);
    await assert.rejects(oidc.refreshTokenGrant(shop, tokens.refresh_token ?? ''), { error: 'invalid_grant' });
  });
});
