import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { assertNotLogged } from '../../../support/not-logged.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { basic, claimsOf, createLogins, type Logins, type Seeded } from './logins.ts';

describe("a service's own token", () => {
  let idp: TestIdp;
  let logins: Logins;
  let shop: Seeded;
  before(async () => {
    idp = await startIdp();
    logins = createLogins(idp);
    await idp.seedOrg('acme');
    shop = await logins.client({
      clientId: 'shop-prod',
      orgSlug: 'acme',
      environment: 'prod',
      service: 'shop',
      allowedScopes: ['openid', 'profile', 'email', 'billing:read', 'billing:write', 'ghost:read'],
    });
    await logins.client({ clientId: 'billing-prod', orgSlug: 'acme', environment: 'prod', service: 'billing' });
  });
  after(() => idp.stop());

  const request = (form: Record<string, string> = {}, of = shop) =>
    logins.token(of, { grant_type: 'client_credentials', ...form });

  it('is good although its client was changed, and its tokens voided, in the same second', async () => {
    const of = await logins.client({ clientId: 'changing-prod', orgSlug: 'acme', allowedScopes: ['openid', 'a:b'] });
    const old = (await request({ audience: 'changing-prod' }, of)).body.access_token;
    const json = { allowedScopes: ['openid'] };
    const path = '/api/internal/oauth-clients/changing-prod';
    assert.equal((await idp.call('PATCH', path, { json, headers: idp.internal })).status, 200);
    const { body } = await request({ audience: 'changing-prod' }, of);
    assert.equal((await logins.introspect(of, old)).active, false);
    assert.equal((await logins.introspect(of, body.access_token)).active, true);
    assert.equal(claimsOf(body.access_token).scope, '');
  });

  it('reads nothing of the denylist where neither its client nor its org was changed lately', async () => {
    idp.advance(10_000);
    const { revocations } = idp.deps;
    const isRevoked = () => Promise.reject(new Error('it was read'));
    Object.assign(idp.deps, { revocations: { ...revocations, isRevoked } });
    const { status } = await request();
    Object.assign(idp.deps, { revocations });
    assert.equal(status, 200);
  });

  it('is verified by the published keys alone, and has every claim that is always there', async () => {
    const { status, body, headers } = await request();
    assert.equal(status, 200);
    const keys = createRemoteJWKSet(new URL(`${idp.address}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(body.access_token, keys, {
      issuer: idp.issuer,
      typ: 'at+jwt',
    });
    assert.equal(protectedHeader.alg, 'RS256');
    const { iss, sub, aud, exp, iat, jti, client_id, scope, orgSlug, token_type } = payload;
    assert.deepEqual(
      { iss, sub, aud, client_id, scope, orgSlug, token_type },
      {
        iss: idp.issuer,
        sub: 'shop-prod',
        aud: 'billing-prod',
        client_id: 'shop-prod',
        scope: 'billing:read billing:write ghost:read',
        orgSlug: 'acme',
        token_type: 'client_credentials',
      },
    );
    assert.equal(Number(exp) - Number(iat), 3_600);
    assert.match(String(jti), /^tok_/);
    assert.equal(payload.email ?? payload.roles ?? payload.identityId, undefined, 'nothing of a person');
    assert.equal(body.token_type, 'Bearer');
    assert.equal(body.expires_in, 3_600);
    assert.equal(body.refresh_token, undefined);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('pragma'), 'no-cache');
  });

  it('is asked for as JSON and as a form, with the secret in the body or in a Basic header', async () => {
    const json = { grant_type: 'client_credentials', client_id: 'shop-prod', client_secret: shop.secret };
    assert.equal((await idp.call('POST', '/api/oauth/token', { json })).status, 200);
    const headers = basic('shop-prod', shop.secret);
    const form = { grant_type: 'client_credentials' };
    assert.equal((await idp.call('POST', '/api/oauth/token', { form, headers })).status, 200);
    assert.equal((await idp.call('POST', '/api/oauth/token', { json: form, headers })).status, 200);
  });

  it('a client id with a colon and a space authenticates by Basic, because both halves are form-urlencoded', async () => {
    const odd = await logins.client({ clientId: 'odd: one+two', orgSlug: 'acme' });
    const headers = basic('odd: one+two', odd.secret);
    const answer = await idp.call('POST', '/api/oauth/token', { form: { grant_type: 'client_credentials' }, headers });
    assert.equal(answer.status, 200);
  });

  it('two ways of authenticating at once are an invalid request', async () => {
    const headers = basic('shop-prod', shop.secret);
    const answer = await idp.call('POST', '/api/oauth/token', {
      form: { grant_type: 'client_credentials', client_secret: shop.secret },
      headers,
    });
    assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request']);
  });

  it('a wrong secret, none, a stale one, an unknown client: one answer, with the scheme to use', async () => {
    const attempts = [
      { client_id: 'shop-prod', client_secret: 'flcs_wrong' },
      { client_id: 'shop-prod' },
      { client_id: 'nobody', client_secret: shop.secret },
      { client_id: 'shop-prod', client_secret: '$ne' },
      { client_id: 'shop-prod', client_secret: '' },
    ];
    const answers = await Promise.all(
      attempts.map((form) =>
        idp.call('POST', '/api/oauth/token', { form: { grant_type: 'client_credentials', ...form } }),
      ),
    );
    for (const { status, body, headers } of answers) {
      assert.equal(status, 401);
      assert.equal(body.error, 'invalid_client');
      assert.match(headers.get('www-authenticate') ?? '', /^Basic realm=/);
    }
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  });

  it('a broken Basic header is an invalid request', async () => {
    for (const value of [
      'Basic',
      'Basic ???',
      `Basic ${Buffer.from('no colon').toString('base64')}`,
      'Basic JTolJQ==',
    ]) {
      const { status, body } = await idp.call('POST', '/api/oauth/token', {
        form: { grant_type: 'client_credentials' },
        headers: { authorization: value },
      });
      assert.deepEqual([status, body.error], [400, 'invalid_request'], value);
    }
  });

  it('both live secrets are good while one replaces the other, and a removed one is not', async () => {
    const own = await logins.client({ orgSlug: 'acme' });
    const second = idp.deps.tokens.create('flcs_');
    const kept = {
      id: 'sec_second',
      hash: idp.deps.tokens.hash(second),
      issuedFor: null,
      addedBy: null,
      createdAt: new Date(),
      lastUsedAt: null,
    };
    await idp.deps.clients.addSecret(own.client.clientId, kept);
    assert.equal((await request({}, own)).status, 200);
    assert.equal((await request({}, { ...own, secret: second })).status, 200);
    await idp.deps.clients.removeSecret(own.client.clientId, own.client.secrets[0]?.id ?? '');
    assert.equal((await request({}, own)).status, 401);
    assert.equal((await request({}, { ...own, secret: second })).status, 200);
  });

  it('scopes are those asked for, and one that was not granted is refused by name', async () => {
    const { body } = await request({ scope: 'billing:read' });
    assert.equal(body.scope, 'billing:read');
    assert.equal(claimsOf(body.access_token).scope, 'billing:read');
    const refused = await request({ scope: 'billing:read billing:delete' });
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_scope']);
    assert.match(refused.body.error_description, /billing:delete/);
    assert.equal((await request({ scope: 'bad"scope' })).body.error, 'invalid_scope');
  });

  it('the audience is the one asked for, the targets of the scopes, or the client itself; never absent', async () => {
    const aud = async (form: Record<string, string>, of = shop) =>
      claimsOf((await request(form, of)).body.access_token).aud;
    assert.equal(await aud({ audience: 'billing-prod' }), 'billing-prod');
    assert.equal(await aud({ resource: idp.issuer }), idp.issuer);
    assert.equal(await aud({ scope: 'billing:read' }), 'billing-prod');
    assert.equal(await aud({ scope: 'ghost:read' }), 'shop-prod', 'a target without a client');
    assert.equal(await aud({}, await logins.client({ clientId: 'alone', orgSlug: 'acme' })), 'alone');
    const several = new URLSearchParams({ grant_type: 'client_credentials', ...logins.credentials(shop) });
    several.append('resource', 'billing-prod');
    several.append('resource', 'shop-prod');
    const { body } = await idp.call('POST', '/api/oauth/token', { form: several });
    assert.deepEqual(claimsOf(body.access_token).aud, ['billing-prod', 'shop-prod']);
    assert.equal(await aud({ audience: 'audit-ledger' }), 'audit-ledger', 'the platform judges its callers itself');
  });

  it('a client of which the token has no scope is no audience, and the answer tells not whether there is one', async () => {
    await idp.seedOrg('rival');
    await logins.client({ clientId: 'notes-prod', orgSlug: 'rival', environment: 'prod', service: 'notes' });
    await logins.client({ clientId: 'mail-prod', orgSlug: 'acme', environment: 'prod', service: 'mail' });
    const sandbox = { clientId: 'billing-sandbox', environment: 'sandbox', service: 'billing' } as const;
    await logins.client({ ...sandbox, orgSlug: 'acme' });
    const answer = async (form: Record<string, string>) => {
      const { status, body, text } = await request(form);
      assert.deepEqual([status, body.error], [400, 'invalid_target'], JSON.stringify(form));
      return text;
    };
    const audiences = ['nobody-prod', 'notes-prod', 'mail-prod', 'billing-sandbox', 'fairlead-cli'];
    const texts = await Promise.all(audiences.map((audience) => answer({ audience })));
    assert.equal(new Set(texts).size, 1);
    // Its scope was granted, and this token was asked for without it.
    await answer({ audience: 'billing-prod', scope: 'ghost:read' });
    assert.equal((await request({ audience: 'billing-prod', scope: 'billing:write' })).status, 200);
  });

  it('an audience nobody knows is an invalid target', async () => {
    for (const audience of ['nobody-prod', 'https://elsewhere.example', '$gt', '__proto__']) {
      const { status, body } = await request({ audience });
      assert.deepEqual([status, body.error], [400, 'invalid_target'], audience);
    }
  });

  it('an audience outside needs model access, lives five minutes, and is good for nothing within', async () => {
    const audience = 'https://model.example';
    assert.equal((await request({ audience })).body.error, 'invalid_target');
    const open = await logins.client({ orgSlug: 'acme', llmAccessEnabled: true, allowedScopes: ['billing:read'] });
    const { body } = await request({ audience }, open);
    const claims = claimsOf(body.access_token);
    assert.deepEqual([claims.aud, claims.exp - claims.iat, claims.scope], [audience, 300, '']);
    const both = new URLSearchParams({ grant_type: 'client_credentials', ...logins.credentials(open), audience });
    both.append('resource', 'billing-prod');
    assert.equal((await idp.call('POST', '/api/oauth/token', { form: both })).body.error, 'invalid_target');
    await idp.deps.clients.update(open.client.clientId, { llmAccessEnabled: false });
    assert.equal((await request({ audience }, open)).body.error, 'invalid_target', 'off means off at once');
  });

  it('a public client, and one that was not granted the grant, get none', async () => {
    const open = await logins.client({ clientType: 'public', allowedGrantTypes: ['client_credentials'] });
    assert.equal((await request({}, open)).body.error, 'unauthorized_client');
    const other = await logins.client({ allowedGrantTypes: ['authorization_code'] });
    const { status, body } = await request({}, other);
    assert.deepEqual([status, body.error], [400, 'unauthorized_client']);
  });

  it('a client of a suspended org gets nothing, from the moment on', async () => {
    const org = await idp.seedOrg('paused');
    const own = await logins.client({ orgSlug: 'paused' });
    assert.equal((await request({}, own)).status, 200);
    await idp.deps.orgs.update(org.id, { suspendedAt: new Date() });
    assert.equal((await request({}, own)).body.error, 'invalid_client');
  });

  it('unknown grants, missing and repeated parameters, and other types than strings are told apart', async () => {
    const post = async (options: Parameters<TestIdp['call']>[2]) => {
      const { status, body } = await idp.call('POST', '/api/oauth/token', options);
      return [status, body.error];
    };
    const auth = logins.credentials(shop);
    assert.deepEqual(await post({ form: auth }), [400, 'invalid_request']);
    assert.deepEqual(await post({}), [400, 'invalid_request']);
    assert.deepEqual(await post({ form: { ...auth, grant_type: 'password' } }), [400, 'unsupported_grant_type']);
    assert.deepEqual(await post({ form: { ...auth, grant_type: 'toString' } }), [400, 'unsupported_grant_type']);
    const twice = new URLSearchParams({ ...auth, grant_type: 'client_credentials', scope: 'billing:read' });
    twice.append('scope', 'billing:write');
    assert.deepEqual(await post({ form: twice }), [400, 'invalid_request']);
    const json = { ...auth, grant_type: 'client_credentials' };
    for (const odd of [
      { client_secret: { $ne: '' } },
      { client_id: ['shop-prod'] },
      { scope: 1 },
      { grant_type: null },
    ]) {
      assert.deepEqual(await post({ json: { ...json, ...odd } }), [400, 'invalid_request'], JSON.stringify(odd));
    }
    assert.deepEqual(
      await post({ json: { ...json, unknown: { $gt: 1 } } }),
      [200, undefined],
      'unknown ones are ignored',
    );
  });

  it('who fails too often from one address is told to stop, and the right secret still works', async () => {
    const own = await logins.client({ orgSlug: 'acme' });
    const wrong = { ...own, secret: 'flcs_wrong' };
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 35; attempt += 1) statuses.push((await request({}, wrong)).status);
    assert.equal(statuses[0], 401);
    assert.equal(statuses.at(-1), 429);
    assert.equal((await request({}, own)).status, 200);
  });

  it('the use of a secret is kept, once a minute', async () => {
    const own = await logins.client({ orgSlug: 'acme' });
    await request({}, own);
    const deadline = Date.now() + 5_000;
    const lastUsed = async () => (await idp.deps.clients.find(own.client.clientId))?.secrets[0]?.lastUsedAt ?? null;
    while ((await lastUsed()) === null && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
    assert.ok((await lastUsed()) instanceof Date);
  });

  it('no secret and no token is ever in the log', async () => {
    const { body } = await request();
    assertNotLogged(idp.logged, '/api/oauth/token', [shop.secret, body.access_token]);
  });
});
