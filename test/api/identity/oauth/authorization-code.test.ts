import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { basic, CALLBACK, claimsOf, createLogins, fifty, type Logins, type Seeded } from './logins.ts';

describe('an authorization code', () => {
  let idp: TestIdp;
  let logins: Logins;
  let shop: Seeded;
  let ada: UserRecord;
  before(async () => {
    idp = await startIdp({ database: 'server' });
    logins = createLogins(idp);
    await idp.seedOrg('acme');
    shop = await logins.client({ clientId: 'shop-prod', orgSlug: 'acme' });
    ada = await logins.person({ org: 'acme', orgRoles: ['admin'], platformRoles: ['developer'] });
  });
  after(() => idp.stop());

  it('becomes an access token that says who, for whom and how, with roles of both kinds apart', async () => {
    const { form, sessionId } = await logins.seedCode(shop, ada);
    const { status, body } = await logins.token(shop, form);
    assert.equal(status, 200);
    const claims = claimsOf(body.access_token);
    const { sub, identityId, email, orgSlug, roles, orgRoles, aud, client_id, sid, amr, scope, token_type } = claims;
    assert.deepEqual(
      { sub, identityId, email, orgSlug, roles, orgRoles, aud, client_id, sid, amr, scope, token_type },
      {
        sub: ada.id,
        identityId: ada.id,
        email: ada.email,
        orgSlug: 'acme',
        roles: ['developer'],
        orgRoles: ['admin'],
        aud: 'shop-prod',
        client_id: 'shop-prod',
        sid: sessionId,
        amr: ['pwd'],
        scope: 'openid profile email',
        token_type: undefined,
      },
    );
    assert.match(String(claims.gid), /^grt_/);
    assert.equal((await idp.deps.grants.find(String(claims.gid)))?.origin, 'oauth');
    assert.match(body.refresh_token, /^grt_/);
  });

  it('becomes an ID token for the client, with nonce, time and hash of the access token', async () => {
    const { form } = await logins.seedCode(shop, ada, { nonce: 'n-0S6' });
    const { body } = await logins.token(shop, form);
    const keys = createRemoteJWKSet(new URL(`${idp.address}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(body.id_token, keys, { issuer: idp.issuer, audience: 'shop-prod', typ: 'JWT' });
    const hash = Buffer.from(idp.deps.tokens.hash(body.access_token), 'hex').subarray(0, 16).toString('base64url');
    assert.equal(payload.nonce, 'n-0S6');
    assert.equal(payload.azp, 'shop-prod');
    assert.equal(payload.at_hash, hash);
    assert.equal(payload.name, 'Ada Lovelace');
    assert.equal(payload.email_verified, true);
    assert.ok(Math.abs(Number(payload.auth_time) - Date.now() / 1000) < 60);
  });

  it('an ID token is no access token: the provider refuses it', async () => {
    const { form } = await logins.seedCode(shop, ada);
    const { body } = await logins.token(shop, form);
    const headers = { authorization: `Bearer ${body.id_token}` };
    assert.equal((await idp.call('GET', '/api/oauth/userinfo', { headers })).status, 401);
    assert.deepEqual(await logins.introspect(shop, body.id_token), { active: false });
  });

  it('without openid there is no ID token; without the refresh grant no refresh token', async () => {
    const plain = await logins.client({ allowedGrantTypes: ['authorization_code'] });
    const { form } = await logins.seedCode(plain, ada, { scopes: ['email'] });
    const { body } = await logins.token(plain, form);
    assert.deepEqual([body.id_token, body.refresh_token], [undefined, undefined]);
  });

  it('works once: the second time its login ends', async () => {
    const { form } = await logins.seedCode(shop, ada);
    const first = await logins.token(shop, form);
    assert.equal((await logins.introspect(shop, first.body.access_token)).active, true);
    const second = await logins.token(shop, form);
    assert.deepEqual([second.status, second.body.error], [400, 'invalid_grant']);
    assert.deepEqual(await logins.introspect(shop, first.body.access_token), { active: false });
    assert.equal((await logins.refresh(shop, first.body.refresh_token)).body.error, 'invalid_grant');
  });

  it('of fifty at once one gets tokens at most, and since the code was used twice they end', async () => {
    const { form, sessionId } = await logins.seedCode(shop, ada);
    const answers = await fifty(() => logins.token(shop, form));
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    assert.equal(others.length, 0);
    for (const { status, body } of answers) if (status !== 200) assert.equal(body.error, 'invalid_grant');
    // The second use may come while the first still makes its tokens: then nobody gets any.
    const { refresh_token: refreshToken = '', access_token: accessToken = '' } = winner?.body ?? {};
    assert.equal((await logins.refresh(shop, refreshToken)).status, 400);
    if (winner !== undefined) assert.deepEqual(await logins.introspect(shop, accessToken), { active: false });
    const grants = await idp.deps.grants.listOfUser(ada.id, idp.deps.now());
    assert.deepEqual(
      grants.filter(({ sessionId: made }) => made === sessionId),
      [],
    );
  });

  it('of another client, or unknown, is an invalid grant and is not used up', async () => {
    const other = await logins.client();
    const { form } = await logins.seedCode(shop, ada);
    assert.equal((await logins.token(other, form)).body.error, 'invalid_grant');
    assert.equal((await logins.token(shop, { ...form, code: 'flac_unknown' })).body.error, 'invalid_grant');
    assert.equal((await logins.token(shop, form)).status, 200);
  });

  it('needs its own redirect URI and verifier, and is not used up by wrong ones', async () => {
    const { form } = await logins.seedCode(shop, ada);
    const { code_verifier: _, ...withoutVerifier } = form;
    const { redirect_uri: __, ...withoutUri } = form;
    const wrong = [
      { ...form, redirect_uri: `${form.redirect_uri}/` },
      { ...form, code_verifier: `${form.code_verifier}x` },
      { ...form, code_verifier: 'short' },
      { ...form, code_verifier: idp.deps.tokens.hash(form.code_verifier) },
      withoutUri,
    ];
    for (const attempt of wrong) assert.equal((await logins.token(shop, attempt)).body.error, 'invalid_grant');
    assert.equal((await logins.token(shop, withoutVerifier)).body.error, 'invalid_request');
    assert.equal((await logins.token(shop, form)).status, 200);
  });

  it('needs the secret of a confidential client', async () => {
    const { form } = await logins.seedCode(shop, ada);
    const answer = await idp.call('POST', '/api/oauth/token', { form: { ...form, client_id: 'shop-prod' } });
    assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client']);
    const headers = basic('shop-prod', shop.secret);
    assert.equal((await idp.call('POST', '/api/oauth/token', { form, headers })).status, 200);
  });

  it('of a client that runs in the browser may be redeemed by its own pages, and by no others', async () => {
    const page = await logins.client({ clientType: 'public', redirectUris: [CALLBACK, 'app.example:/callback'] });
    const allowed = async (origin: string, of: Seeded): Promise<string | null> => {
      const { form } = await logins.seedCode(of, ada);
      const headers = { origin };
      const answer = await idp.call('POST', '/api/oauth/token', {
        form: { ...form, ...logins.credentials(of) },
        headers,
      });
      assert.equal(answer.status, 200);
      return answer.headers.get('access-control-allow-origin');
    };
    assert.equal(await allowed('https://shop.example', page), 'https://shop.example');
    for (const origin of ['https://evil.example', 'http://shop.example', 'https://shop.example.evil.example', 'null']) {
      assert.equal(await allowed(origin, page), null, origin);
    }
    assert.equal(await allowed('https://shop.example', shop), null, 'a client with a secret');
    const form = { grant_type: 'authorization_code', client_id: page.client.clientId };
    const failed = await idp.call('POST', '/api/oauth/token', { form, headers: { origin: 'https://shop.example' } });
    assert.equal(failed.status, 400);
    assert.equal(
      failed.headers.get('access-control-allow-origin'),
      'https://shop.example',
      'errors can be read as well',
    );
  });

  it('expires after its minute', async () => {
    const expired = { expiresAt: new Date(idp.deps.now().getTime() - 1) };
    const { form } = await logins.seedCode(shop, ada, expired);
    assert.equal((await logins.token(shop, form)).body.error, 'invalid_grant');
  });

  it('may be redeemed for some of its audience, and no other', async () => {
    const audience = ['shop-prod', 'builder'];
    const { form } = await logins.seedCode(shop, ada, { audience });
    assert.equal((await logins.token(shop, { ...form, resource: 'elsewhere' })).body.error, 'invalid_target');
    const { body } = await logins.token(shop, { ...form, resource: 'builder' });
    assert.equal(claimsOf(body.access_token).aud, 'builder');
    const both = await logins.login(shop, ada, { audience });
    assert.deepEqual(claimsOf(both.tokens.access_token ?? '').aud, audience);
  });

  it('is refused after its session was ended', async () => {
    const { form, sessionId } = await logins.seedCode(shop, ada);
    await idp.deps.sessions.revoke(sessionId, idp.deps.now());
    assert.equal((await logins.token(shop, form)).body.error, 'invalid_grant');
  });

  it('is refused after its person, or their only org, was suspended', async () => {
    const bob = await logins.person({ org: 'acme' });
    const { form } = await logins.seedCode(shop, bob);
    await idp.deps.users.update(bob.id, { suspendedAt: new Date() });
    assert.equal((await logins.token(shop, form)).body.error, 'invalid_grant');

    const org = await idp.seedOrg('closing');
    const eve = await logins.person({ org: 'closing' });
    const later = await logins.seedCode(shop, eve);
    await idp.deps.orgs.update(org.id, { suspendedAt: new Date() });
    assert.equal((await logins.token(shop, later.form)).body.error, 'invalid_grant');
  });

  it('tells in the access token whether the person has confirmed their address', async () => {
    for (const emailVerified of [true, false]) {
      const { tokens } = await logins.login(shop, await logins.person({ fields: { emailVerified } }));
      assert.equal(claimsOf(tokens.access_token ?? '').email_verified, emailVerified);
    }
  });

  it('someone in no org gets a token that names none', async () => {
    const { tokens } = await logins.login(shop, await logins.person());
    const { orgSlug, orgRoles, roles } = claimsOf(tokens.access_token ?? '');
    assert.deepEqual({ orgSlug, orgRoles, roles }, { orgSlug: undefined, orgRoles: [], roles: [] });
  });

  it('a revocation that came while the tokens were made ends the login as well', async () => {
    const { form } = await logins.seedCode(shop, ada);
    const now = idp.deps.now();
    // A client is revoked a moment into the future, which is what a revocation at the same time looks like.
    const own = await logins.client();
    const code = await logins.seedCode(own, ada);
    const value = own.client.clientId;
    const soon = new Date(now.getTime() + 5_000);
    await idp.deps.revocations.add({ kind: 'client', value, issuedUntil: soon, revokedAt: now, expiresAt: soon });
    assert.equal((await logins.token(own, code.form)).body.error, 'invalid_grant');
    const live = await idp.deps.grants.listOfUser(ada.id, now);
    assert.deepEqual(
      live.filter(({ clientId }) => clientId === value),
      [],
    );
    assert.equal((await logins.token(shop, form)).status, 200, 'others are not touched');
  });
});
