import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as client from 'openid-client';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { CALLBACK, createLogins, type Logins } from './logins.ts';

describe('the public documents of the provider', () => {
  let idp: TestIdp;
  let logins: Logins;
  before(async () => {
    idp = await startIdp();
    logins = createLogins(idp);
  });
  after(() => idp.stop());

  const get = (path: string) => idp.call('GET', path);

  it('keys may be kept for a minute, by anyone, and hold nothing private', async () => {
    const { status, headers, body } = await get('/.well-known/jwks.json');
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'public, max-age=60');
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(body.keys.length, 2, 'the active key and the next');
    for (const key of body.keys) {
      assert.deepEqual(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
      assert.deepEqual([key.kty, key.alg, key.use], ['RSA', 'RS256', 'sig']);
      assert.ok(Buffer.from(key.n, 'base64url').length >= 256);
    }
  });

  it('both metadata documents say the same, and every endpoint of theirs exists', async () => {
    const [openid, oauth] = await Promise.all([
      get('/.well-known/openid-configuration'),
      get('/.well-known/oauth-authorization-server'),
    ]);
    assert.deepEqual(openid.body, oauth.body);
    assert.equal(openid.body.issuer, idp.issuer);
    assert.deepEqual(openid.body.code_challenge_methods_supported, ['S256']);
    assert.equal(openid.body.authorization_response_iss_parameter_supported, true);
    assert.equal(openid.body.passport_endpoint, `${idp.issuer.replace('http:', 'ws:')}/passport`);
    assert.equal(openid.body.end_session_endpoint, `${idp.issuer}/oauth/logout`);
    const document = (await get('/openapi.json')).body;
    for (const name of ['token', 'userinfo', 'introspection', 'revocation', 'device_authorization']) {
      const { pathname } = new URL(openid.body[`${name}_endpoint`]);
      assert.ok(document.paths[pathname], `${name}: ${pathname}`);
    }
  });

  it('a grant that the metadata names is not an unsupported one', async () => {
    const { body } = await get('/.well-known/openid-configuration');
    const own = await logins.client({ allowedGrantTypes: body.grant_types_supported });
    for (const grant of body.grant_types_supported) {
      const answer = await logins.token(own, { grant_type: grant });
      assert.notEqual(answer.body.error, 'unsupported_grant_type', grant);
    }
  });

  it('a standard client finds its way: discovery, service token, code, refresh, userinfo, introspection, revocation', async () => {
    const own = await logins.client({ allowedScopes: ['openid', 'email', 'a:b'] });
    const ada = await logins.person();
    // The issuer's own name resolves to the loopback.
    const config = await client.discovery(new URL(idp.issuer), own.client.clientId, own.secret, undefined, {
      execute: [client.allowInsecureRequests],
    });
    const service = await client.clientCredentialsGrant(config, { scope: 'a:b' });
    assert.equal((await client.tokenIntrospection(config, service.access_token)).active, true);

    const { form } = await logins.seedCode(own, ada, { nonce: 'the-nonce', scopes: ['openid', 'email'] });
    const callback = new URL(`${CALLBACK}?code=${form.code}&state=xyz&iss=${encodeURIComponent(idp.issuer)}`);
    const tokens = await client.authorizationCodeGrant(config, callback, {
      pkceCodeVerifier: form.code_verifier,
      expectedState: 'xyz',
      expectedNonce: 'the-nonce',
    });
    assert.equal(tokens.claims()?.sub, ada.id);
    const info = await client.fetchUserInfo(config, tokens.access_token, ada.id);
    assert.equal(info.email, ada.email);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await client.tokenRevocation(config, refreshed.refresh_token ?? '');
    assert.equal((await client.tokenIntrospection(config, refreshed.access_token)).active, false);
  });
});
