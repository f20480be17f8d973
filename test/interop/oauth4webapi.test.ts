import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import { ACCESS_TOKEN, CALLBACK, EXCHANGE_GRANT, type RelyingParties, startRelyingParties } from './relying-parties.ts';

/** The library as it is published; the only thing allowed to it is plain HTTP, which the loopback is. */
const insecure = { [oauth.allowInsecureRequests]: true } as const;

describe('oauth4webapi, unchanged', () => {
  let parties: RelyingParties;
  let as: oauth.AuthorizationServer;
  let shopAuth: oauth.ClientAuth;
  const shop: oauth.Client = { client_id: 'shop-prod' };
  before(async () => {
    parties = await startRelyingParties();
    const issuer = new URL(parties.idp.issuer);
    as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    shopAuth = oauth.ClientSecretBasic(parties.secret);
  });
  after(() => parties.stop());

  /** Code and PKCE, step by step as the library wants it. */
  async function logIn(scope = 'openid email', more: Record<string, string> = {}) {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const nonce = oauth.generateRandomNonce();
    const url = new URL(as.authorization_endpoint ?? '');
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const query = {
      client_id: 'shop-prod',
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope,
      state,
      nonce,
      ...more,
    };
    url.search = new URLSearchParams({ ...query, code_challenge: challenge, code_challenge_method: 'S256' }).toString();
    const { callback } = await parties.person.authorize(url);
    // Refuses an answer without `iss`, because the metadata promises one (RFC 9207).
    const parameters = oauth.validateAuthResponse(as, shop, callback, state);
    const response = await oauth.authorizationCodeGrantRequest(
      ...([as, shop, shopAuth, parameters, CALLBACK, verifier, insecure] as const),
    );
    const checks = { expectedNonce: nonce, requireIdToken: true };
    return oauth.processAuthorizationCodeResponse(as, shop, response, checks);
  }

  async function isActive(token: string): Promise<boolean> {
    const response = await oauth.introspectionRequest(as, shop, shopAuth, token, insecure);
    return (await oauth.processIntrospectionResponse(as, shop, response)).active;
  }

  /** A request as a service gets it, for the library's own check of access tokens (RFC 9068). */
  const requestWith = (token: string): Request =>
    new Request('https://shop.example/api/orders', { headers: { authorization: `Bearer ${token}` } });

  it('discovers the provider by RFC 8414 as well, and finds the same', async () => {
    const issuer = new URL(parties.idp.issuer);
    const response = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' });
    assert.deepEqual(await oauth.processDiscoveryResponse(issuer, response), as);
    assert.equal(as.authorization_response_iss_parameter_supported, true);
  });

  it('signs a person in, and its own check of access tokens takes ours for their audience alone', async () => {
    const tokens = await logIn();
    const sub = parties.user.id;
    assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, sub);
    const response = await oauth.userInfoRequest(as, shop, tokens.access_token, insecure);
    assert.equal((await oauth.processUserInfoResponse(as, shop, sub, response)).email, parties.user.email);
    const request = requestWith(tokens.access_token);
    const claims = await oauth.validateJwtAccessToken(as, request, 'shop-prod', insecure);
    assert.deepEqual([claims.sub, claims.client_id, claims.scope], [sub, 'shop-prod', 'openid email']);
    await assert.rejects(oauth.validateJwtAccessToken(as, request, 'stock-prod', insecure), /"aud"/);
  });

  it('does not take an ID token for an access token', async () => {
    const { id_token: idToken = '' } = await logIn();
    await assert.rejects(oauth.validateJwtAccessToken(as, requestWith(idToken), 'shop-prod', insecure), /"typ"/);
  });

  it('asks for a token for another service by resource indicator', async () => {
    const parameters = new URLSearchParams({ scope: 'stock:read', resource: 'stock-prod' });
    const response = await oauth.clientCredentialsGrantRequest(as, shop, shopAuth, parameters, insecure);
    const tokens = await oauth.processClientCredentialsResponse(as, shop, response);
    const request = requestWith(tokens.access_token);
    const claims = await oauth.validateJwtAccessToken(as, request, 'stock-prod', insecure);
    assert.deepEqual([claims.sub, claims.client_id], ['shop-prod', 'shop-prod']);
    const unknown = new URLSearchParams({ resource: 'https://nowhere.example' });
    const refused = await oauth.clientCredentialsGrantRequest(as, shop, shopAuth, unknown, insecure);
    await assert.rejects(oauth.processClientCredentialsResponse(as, shop, refused), { error: 'invalid_target' });
  });

  it('refreshes, and reads why a replay is refused', async () => {
    const { refresh_token: first = '' } = await logIn();
    const refresh = async (token: string) => {
      const response = await oauth.refreshTokenGrantRequest(as, shop, shopAuth, token, insecure);
      return oauth.processRefreshTokenResponse(as, shop, response);
    };
    const { refresh_token: second = '' } = await refresh(first);
    const { refresh_token: third = '' } = await refresh(second);
    assert.equal(new Set([first, second, third]).size, 3);
    const replay = await refresh(first).catch((error: unknown) => error);
    assert.ok(replay instanceof oauth.ResponseBodyError, String(replay));
    assert.deepEqual([replay.status, replay.error], [400, 'invalid_grant']);
    await assert.rejects(refresh(third), { error: 'invalid_grant' }, 'the whole login has ended');
  });

  it('connects a device, and reads that a person declined another', async () => {
    const tv: oauth.Client = { client_id: 'tv' };
    const begin = async () => {
      const parameters = new URLSearchParams({ scope: 'openid email' });
      const response = await oauth.deviceAuthorizationRequest(as, tv, oauth.None(), parameters, insecure);
      return oauth.processDeviceAuthorizationResponse(as, tv, response);
    };
    const poll = async (code: string) => {
      const response = await oauth.deviceCodeGrantRequest(as, tv, oauth.None(), code, insecure);
      return oauth.processDeviceCodeResponse(as, tv, response);
    };
    const agreed = await begin();
    await assert.rejects(poll(agreed.device_code), { error: 'authorization_pending' });
    await parties.person.connect(agreed.verification_uri_complete ?? '');
    // The provider's clock stands for the five seconds that the device waits.
    parties.idp.advance((agreed.interval ?? 5) * 1_000);
    assert.equal(oauth.getValidatedIdTokenClaims(await poll(agreed.device_code))?.sub, parties.user.id);

    const declined = await begin();
    await parties.person.connect(declined.verification_uri_complete ?? '', 'deny');
    await assert.rejects(poll(declined.device_code), { error: 'access_denied' });
  });

  it('revokes, and introspection knows', async () => {
    const { access_token: access, refresh_token: refresh = '' } = await logIn();
    assert.deepEqual([await isActive(access), await isActive(refresh)], [true, true]);
    const response = await oauth.revocationRequest(as, shop, shopAuth, refresh, insecure);
    assert.equal(await oauth.processRevocationResponse(response), undefined);
    assert.deepEqual([await isActive(access), await isActive(refresh)], [false, false]);
  });

  it('reads the standard error by which the token of another client is not exchanged', async () => {
    const { access_token: access } = await logIn();
    const parameters = { subject_token: access, subject_token_type: ACCESS_TOKEN, audience: 'shop-prod' };
    const cli: oauth.Client = { client_id: 'fairlead-cli' };
    const response = await oauth.genericTokenEndpointRequest(
      ...([as, cli, oauth.None(), EXCHANGE_GRANT, parameters, insecure] as const),
    );
    // A subject token that is not valid, for whatever reason, is an invalid request (RFC 8693, 2.2.2).
    await assert.rejects(oauth.processGenericTokenEndpointResponse(as, cli, response), { error: 'invalid_request' });
  });
});
