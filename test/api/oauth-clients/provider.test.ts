import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { revokeScopes } from '../../../api/oauth-clients/revoke-scopes.ts';
import { dyingAt } from '../../support/dying-at.ts';
import { assertNotLogged } from '../../support/not-logged.ts';
import { type Answer, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { createLogins } from '../identity/oauth/logins.ts';
import { meanwhile } from '../identity/revocation/meanwhile.ts';
import { visit } from '../identity/visit.ts';

const BASE = '/api/internal/oauth-clients';

let idp: TestIdp;
before(async () => {
  idp = await startIdp({ database: 'server' });
  await idp.seedOrg('acme');
  await idp.seedClient('shop-prod', { orgSlug: 'acme', service: 'shop', environment: 'prod' });
});
after(() => idp.stop());

const call = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  idp.call(method, BASE + path, { ...(json === undefined ? {} : { json }), headers: { ...idp.internal, ...headers } });

/** Whether the client can prove itself with a secret, as the token endpoint would look at it. */
async function accepts(clientId: string, secret: string): Promise<boolean> {
  const client = await idp.deps.clients.find(clientId);
  return client?.secrets.some(({ hash }) => hash === idp.deps.tokens.hash(secret)) ?? false;
}

const eventsOf = async (subject: string) =>
  (await idp.deps.audit.list({ subject }, { cursor: null, limit: 50 })).items.toReversed();

describe('clients made by the platform', () => {
  it('a client is made with a secret that only the answer holds', async () => {
    const made = await call('POST', '', { name: 'Back Office', orgSlug: 'acme' });
    assert.equal(made.status, 201);
    const { clientId, clientSecret, secretId } = made.body.data;
    assert.match(clientId, /^back-office-[a-z0-9]{6}$/);
    assert.equal(await accepts(clientId, clientSecret), true);
    const shown = [await call('GET', `/${clientId}`), await call('GET', '?limit=200')];
    const { hash } = (await idp.deps.clients.find(clientId))?.secrets[0] ?? { hash: '' };
    for (const { text } of shown) assert.ok(!text.includes(clientSecret) && !text.includes(hash));
    assert.deepEqual(
      shown[0]?.body.data.secrets.map((row: object) => [...Object.keys(row)].sort()),
      [['addedBy', 'createdAt', 'id', 'issuedFor', 'lastUsedAt']],
    );
    assert.equal(shown[0]?.body.data.secrets[0].id, secretId);
    assertNotLogged(idp.logged, '/api/internal/oauth-clients', [clientSecret]);
  });

  it('a public client has no secret, gets none, and may not ask for tokens by itself', async () => {
    const made = await call('POST', '', { clientId: 'spa', name: 'SPA', orgSlug: 'acme', clientType: 'public' });
    assert.deepEqual([made.body.data.clientSecret, made.body.data.secrets], [null, []]);
    for (const path of ['/spa/secrets', '/spa/regenerate-secret']) {
      const { status, body } = await call('POST', path);
      assert.deepEqual([status, body.error.code], [409, 'CONFLICT'], path);
    }
    const { status, body } = await call('PATCH', '/spa', { allowedGrantTypes: ['client_credentials'] });
    assert.deepEqual([status, body.error.code], [400, 'VALIDATION_FAILED']);
    const both = await call('POST', '', {
      name: 'x',
      orgSlug: 'acme',
      clientType: 'public',
      allowedGrantTypes: ['client_credentials'],
    });
    assert.equal(both.status, 400);
  });

  it('refuses an id that is taken, an org that is not, and URIs that are unsafe', async () => {
    for (const [fields, status, code] of [
      [{ clientId: 'shop-prod' }, 409, 'CLIENT_EXISTS'],
      [{ clientId: 'builder' }, 409, 'CLIENT_EXISTS'],
      [{ orgSlug: 'nobody' }, 404, 'ORG_NOT_FOUND'],
      [{ redirectUris: ['http://shop.example/cb'] }, 400, 'INVALID_REDIRECT_URI'],
      [{ postLogoutRedirectUris: ['https://shop.example/#x'] }, 400, 'INVALID_REDIRECT_URI'],
      [{ trustedInviteSignup: true }, 403, 'FORBIDDEN'],
      [{ clientId: 'usr_someone' }, 400, 'VALIDATION_FAILED'],
      [{ secrets: [] }, 400, 'VALIDATION_FAILED'],
    ] as const) {
      const answer = await call('POST', '', { name: 'X', orgSlug: 'acme', ...fields });
      assert.deepEqual([answer.status, answer.body.error.code], [status, code], JSON.stringify(fields));
    }
  });

  it('changes what the table allows, drops the rest, and says no to trusted invite sign-up', async () => {
    await idp.seedClient('desk', { orgSlug: 'acme' });
    const patch = { name: 'Desk', headlessEnabled: true, llmAccessEnabled: true, orgSlug: 'thief', colour: 'red' };
    const { status, body } = await call('PATCH', '/desk', patch);
    assert.equal(status, 200);
    const { name, headlessEnabled, llmAccessEnabled, orgSlug } = body.data;
    assert.deepEqual([name, headlessEnabled, llmAccessEnabled, orgSlug], ['Desk', true, false, 'acme']);
    const refused = await call('PATCH', '/desk', { name: 'Other', trustedInviteSignup: true });
    assert.equal(refused.status, 403);
    assert.match(refused.body.error.message, /trustedInviteSignup/);
    assert.equal((await call('GET', '/desk')).body.data.name, 'Desk', 'nothing of a refused change is written');
  });

  it('a flag switched off meanwhile stays off when someone else changes the embed origins', async () => {
    const passportConfig = { includeBranding: true, includeEntityHash: false, headless: true, allowedEmbedOrigins: [] };
    await idp.seedClient('flags', { orgSlug: 'acme', passportConfig });
    await Promise.all([
      call('PATCH', '/flags', { passportConfig: { headless: false } }),
      call('PATCH', '/flags', { passportConfig: { allowedEmbedOrigins: ['https://a.example'] } }),
      call('PATCH', '/flags', { passportConfig: { includeBranding: false } }),
    ]);
    assert.deepEqual((await idp.deps.clients.find('flags'))?.passportConfig, {
      includeBranding: false,
      includeEntityHash: false,
      headless: false,
      allowedEmbedOrigins: ['https://a.example'],
    });
  });

  it('has two live secrets at most, and each can be removed', async () => {
    const { secret: first } = await idp.seedClient('rotating', { orgSlug: 'acme' });
    const added = await call('POST', '/rotating/secrets');
    assert.equal(added.status, 201);
    assert.deepEqual(
      [await accepts('rotating', first), await accepts('rotating', added.body.data.clientSecret)],
      [true, true],
    );
    const full = await call('POST', '/rotating/secrets');
    assert.deepEqual([full.status, full.body.error.code], [409, 'CLIENT_SECRETS_FULL']);
    const [oldest] = added.body.data.secrets;
    assert.equal((await call('DELETE', `/rotating/secrets/${oldest.id}`)).body.data.secrets.length, 1);
    assert.equal((await call('DELETE', `/rotating/secrets/${oldest.id}`)).status, 404);
    assert.equal(await accepts('rotating', first), false);
    const fresh = await call('POST', '/rotating/regenerate-secret');
    assert.equal(fresh.body.data.secrets.length, 1);
    assert.equal(await accepts('rotating', added.body.data.clientSecret), false);
    assert.equal(await accepts('rotating', fresh.body.data.clientSecret), true);
  });

  it('redirect URIs are added once, normalised, and removed in either spelling', async () => {
    await idp.seedClient('uris', { orgSlug: 'acme' });
    for (const redirectUri of ['HTTPS://A.example:443/cb', 'https://a.example/cb']) {
      const { body } = await call('POST', '/uris/redirect-uris', { redirectUri });
      assert.deepEqual(body.data.redirectUris, ['https://a.example/cb']);
    }
    assert.equal((await call('DELETE', '/uris/redirect-uris', { redirectUri: 'https://b.example/cb' })).status, 404);
    const gone = await call('DELETE', '/uris/redirect-uris', { redirectUri: 'https://A.example/cb' });
    assert.deepEqual(gone.body.data.redirectUris, []);
  });

  it('deleting a client ends its tokens', async () => {
    await idp.seedClient('doomed', { orgSlug: 'acme' });
    assert.equal((await call('DELETE', '/doomed')).status, 200);
    assert.equal((await call('GET', '/doomed')).status, 404);
    assert.equal((await call('DELETE', '/doomed')).status, 404);
    const claims = { jti: 'tok_1', sub: 'doomed', client_id: 'doomed', iat: Math.floor(Date.now() / 1000) };
    assert.equal(await idp.deps.revocations.isRevoked(claims), true);
  });

  for (const clientId of ['builder', 'fairlead-cli']) {
    it(`nobody changes the client ${clientId} of the platform, not even the builder`, async () => {
      const before = await idp.deps.clients.find(clientId);
      const changes: readonly (readonly [method: string, path: string, body?: object])[] = [
        ['PATCH', '', { redirectUris: ['https://evil.example/cb'] }],
        ['PATCH', '', { allowedGrantTypes: [] }],
        ['PATCH', '', { name: 'Mine', whiteLabel: { emailFromName: 'Mine' } }],
        ['POST', '/redirect-uris', { redirectUri: 'http://127.0.0.1/other' }],
        ['DELETE', '/redirect-uris', { redirectUri: 'http://127.0.0.1/callback' }],
        ['POST', '/secrets'],
        ['DELETE', '/secrets/sec_1'],
        ['POST', '/regenerate-secret'],
        ['DELETE', ''],
      ];
      for (const [method, path, body] of changes) {
        const answer = await call(method, `/${clientId}${path}`, body);
        assert.deepEqual([answer.status, answer.body.error?.code], [403, 'FORBIDDEN'], `${method} ${path}`);
      }
      assert.deepEqual(await idp.deps.clients.find(clientId), before);
    });
  }

  it('ids of clients of the platform are reserved, also of services that an installation does not have yet', async () => {
    for (const clientId of ['audit-ledger-pages', 'monitor', 'console-pages', 'fairlead-cli']) {
      const { status, body } = await call('POST', '', { clientId, name: 'x', orgSlug: 'acme' });
      assert.deepEqual([status, body.error.code], [409, 'CLIENT_EXISTS'], clientId);
    }
  });

  it('the scopes of a removed service are taken from all clients, and those of the platform stay', async () => {
    await idp.seedClient('holder', { orgSlug: 'acme', allowedScopes: ['openid', 'notes:admin', 'personas:mint'] });
    const { body } = await call('POST', '/revoke-scopes', { service: 'notes' });
    assert.deepEqual(body.data.clientIds, ['holder']);
    assert.deepEqual((await idp.deps.clients.find('holder'))?.allowedScopes, ['openid', 'personas:mint']);
    const [event] = (await eventsOf('holder')).toReversed();
    assert.deepEqual(event?.data, { reason: 'service removed', allowedScopes_removed: ['notes:admin'] });
    await idp.seedClient('keeper', { orgSlug: 'acme', allowedScopes: ['notes:admin'] });
    const ofOne = await call('POST', '/revoke-scopes', { service: 'notes', clientId: 'holder' });
    assert.deepEqual(ofOne.body.data.clientIds, []);
    assert.deepEqual((await idp.deps.clients.find('keeper'))?.allowedScopes, ['notes:admin']);
    await call('POST', '/revoke-scopes', { service: 'notes', clientId: 'keeper', reason: 'grant ended' });
    const ended = (await eventsOf('keeper')).map(({ data }) => data.reason);
    assert.deepEqual(ended, ['grant ended']);
    assert.equal((await call('POST', '/revoke-scopes', { service: 'personas' })).status, 403);
    assert.deepEqual((await idp.deps.clients.find('holder'))?.allowedScopes, ['openid', 'personas:mint']);
  });

  it('two services that are removed at once are told of each client that both had', async () => {
    await idp.seedClient('both', { orgSlug: 'acme', allowedScopes: ['left:read', 'right:read'] });
    meanwhile(idp.deps, 'clients', 'removeScopes', () => call('POST', '/revoke-scopes', { service: 'right' }));
    assert.equal((await call('POST', '/revoke-scopes', { service: 'left' })).status, 200);
    assert.deepEqual((await idp.deps.clients.find('both'))?.allowedScopes, []);
    const removed = (await eventsOf('both')).flatMap(({ data }) => data.allowedScopes_removed);
    assert.deepEqual(new Set(removed), new Set(['left:read', 'right:read']));
  });

  it('a token with a scope of a removed service is void, and the next one lacks the scope', async () => {
    const allowedGrantTypes = ['client_credentials'] as const;
    const { secret } = await idp.seedClient('lingerer', {
      allowedScopes: ['old:read', 'kept:read'],
      allowedGrantTypes,
    });
    const own = { client_id: 'lingerer', client_secret: secret };
    const token = async (): Promise<string> =>
      (await idp.call('POST', '/api/oauth/token', { form: { ...own, grant_type: 'client_credentials' } })).body
        .access_token;
    const introspect = async (text: string) =>
      (await idp.call('POST', '/api/oauth/introspect', { form: { ...own, token: text } })).body;
    const before = await token();
    assert.equal((await introspect(before)).scope, 'old:read kept:read');
    assert.equal((await call('POST', '/revoke-scopes', { service: 'old' })).status, 200);
    assert.deepEqual(await introspect(before), { active: false });
    idp.advance(3_000);
    assert.equal((await introspect(await token())).scope, 'kept:read');
  });

  it('a scope that is taken from a client voids the tokens that hold it, and people stay signed in', async () => {
    const { token, login, refresh, introspect, client: make, person } = createLogins(idp);
    const holder = await make({ allowedScopes: ['openid', 'notes:read', 'notes:admin'] });
    const own = (await token(holder, { grant_type: 'client_credentials', scope: 'notes:admin' })).body.access_token;
    const { tokens } = await login(holder, await person(), { scopes: ['openid', 'notes:admin'] });
    assert.equal((await introspect(holder, own)).scope, 'notes:admin');
    const changed = await call('PATCH', `/${holder.client.clientId}`, { allowedScopes: ['openid', 'notes:read'] });
    assert.equal(changed.status, 200);
    for (const text of [own, tokens.access_token]) assert.deepEqual(await introspect(holder, text), { active: false });
    idp.advance(3_000);
    const next = (await refresh(holder, tokens.refresh_token)).body;
    assert.deepEqual([next.scope, (await introspect(holder, next.access_token)).active], ['openid', true]);

    await call('PATCH', `/${holder.client.clientId}`, { allowedScopes: ['openid', 'notes:read', 'notes:write'] });
    assert.equal((await introspect(holder, next.access_token)).active, true, 'a scope that is given voids nothing');
  });

  it('what is taken from a client is told once, wherever the process was killed before', async () => {
    const caller = { kind: 'internal', name: 'internal', org: 'platform' } as const;
    const context = { ...visit(idp), caller, authenticateAgain: async () => caller };
    let wasKilled = true;
    for (let kill = 1; wasKilled; kill += 1) {
      const clientId = `held-${kill}`;
      await idp.seedClient(clientId, { orgSlug: 'acme', allowedScopes: ['openid', 'doomed:read'] });
      const { clients, audit } = idp.deps;
      const deps = { ...idp.deps, ...dyingAt(kill, { clients, audit }) };
      wasKilled = await revokeScopes(deps, context, { service: 'doomed' }).then(
        () => false,
        () => true,
      );
      await revokeScopes(idp.deps, context, { service: 'doomed' });
      assert.deepEqual((await idp.deps.clients.find(clientId))?.allowedScopes, ['openid']);
      const told = (await eventsOf(clientId)).map(({ data }) => data.allowedScopes_removed);
      assert.deepEqual(told, [['doomed:read']], `killed at call ${kill}`);
    }
  });

  it('lists by id in pages, of one org or of all', async () => {
    await idp.seedOrg('pages');
    for (const clientId of ['page-c', 'page-a', 'page-b']) await idp.seedClient(clientId, { orgSlug: 'pages' });
    const first = (await call('GET', '?orgSlug=pages&limit=2')).body.data;
    const rest = (await call('GET', `?orgSlug=pages&limit=2&cursor=${first.nextCursor}`)).body.data;
    const ids = [...first.items, ...rest.items].map((row: { clientId: string }) => row.clientId);
    assert.deepEqual(ids, ['page-a', 'page-b', 'page-c']);
    const found = await call('POST', '/search', { orgSlug: 'pages', clientIds: ['desk', 'nobody'] });
    assert.deepEqual(
      found.body.data.items.map((row: { clientId: string }) => row.clientId),
      ['desk', 'page-a', 'page-b', 'page-c'],
    );
  });

  it('every change is in the audit trail with who it was for, and no secret is', async () => {
    const ada = { 'x-acting-for': 'usr_ada' };
    const made = await call('POST', '', { clientId: 'audited', name: 'A', orgSlug: 'acme' }, ada);
    await call('PATCH', '/audited', { name: 'B', passportConfig: { headless: true } }, ada);
    await call('POST', '/audited/redirect-uris', { redirectUri: 'https://a.example/cb' }, { 'x-acting-for': '<x>' });
    const added = await call('POST', '/audited/secrets', undefined, ada);
    await call('DELETE', '/audited', undefined, ada);
    const events = await eventsOf('audited');
    assert.deepEqual(
      events.map(({ type, actor }) => [type, actor]),
      [
        ['oauth.client_created', 'usr_ada'],
        ['oauth.client_updated', 'usr_ada'],
        ['oauth.client_redirect_uri_added', 'internal'],
        ['oauth.client_secret_added', 'usr_ada'],
        ['oauth.client_tokens_revoked', 'usr_ada'],
        ['oauth.client_deleted', 'usr_ada'],
        ['oauth.client_tokens_revoked', 'usr_ada'],
      ],
    );
    assert.deepEqual(events[1]?.data, {
      fields: ['name', 'passportConfig.headless'],
      name_before: 'A',
      name_after: 'B',
      passportConfig_headless_before: false,
      passportConfig_headless_after: true,
    });
    const kept = JSON.stringify(events);
    for (const secret of [made.body.data.clientSecret, added.body.data.clientSecret]) {
      assert.ok(!kept.includes(secret) && !kept.includes(idp.deps.tokens.hash(secret)));
    }
  });
});

describe('who may call', () => {
  const ROUTES = [
    ['POST', '/provision'],
    ['POST', '/revoke-scopes'],
    ['POST', '/search'],
    ['GET', ''],
    ['POST', ''],
    ['GET', '/shop-prod'],
    ['PATCH', '/shop-prod'],
    ['DELETE', '/shop-prod'],
    ['POST', '/shop-prod/secrets'],
    ['DELETE', '/shop-prod/secrets/sec_x'],
    ['POST', '/shop-prod/regenerate-secret'],
    ['POST', '/shop-prod/redirect-uris'],
    ['DELETE', '/shop-prod/redirect-uris'],
  ] as const;

  it('nobody without a credential, and nobody with a wrong key', async () => {
    for (const [method, path] of ROUTES) {
      for (const headers of [{}, { 'x-internal-key': 'wrong-key-wrong-key-wrong-key-wrong!' }]) {
        const { status } = await idp.call(method, BASE + path, { headers });
        assert.equal(status, 401, `${method} ${path}`);
      }
    }
  });

  it('the internal key may not set trusted invite sign-up', async () => {
    const answer = await idp.call('PATCH', '/api/admin/oauth-clients/shop-prod', {
      json: { trustedInviteSignup: true },
      headers: idp.internal,
    });
    assert.deepEqual([answer.status, answer.body.error.code], [403, 'FORBIDDEN']);
    assert.equal((await idp.deps.clients.find('shop-prod'))?.trustedInviteSignup, false);
  });

  it('an object where text belongs is refused, in every field', async () => {
    for (const field of ['name', 'redirectUris', 'allowedScopes', 'whiteLabel', 'customDomains', 'mailTemplates']) {
      for (const wrong of [{ $gt: '' }, [{ $gt: '' }], 7]) {
        const { status } = await call('PATCH', '/shop-prod', { [field]: wrong });
        const isEmptyObject = field === 'whiteLabel' && !Array.isArray(wrong) && typeof wrong === 'object';
        assert.equal(status, isEmptyObject ? 200 : 400, `${field} ${JSON.stringify(wrong)}`);
      }
    }
    for (const body of [{ redirectUri: { $ne: null } }, { redirectUri: ['x'] }, {}]) {
      assert.equal((await call('POST', '/shop-prod/redirect-uris', body)).status, 400);
    }
  });
});
