import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { COLLECTIONS } from '../../../adapters/mongo/oauth-clients/indexes.ts';
import { type Answer, startIdp, type TestIdp } from '../../support/start-idp.ts';

const BASE = '/api/internal/oauth-clients';
const CALLBACK = 'https://shop.apps.example/api/auth/callback';

let idp: TestIdp;
before(async () => {
  idp = await startIdp({ database: 'server' });
  await idp.seedOrg('acme');
});
after(() => idp.stop());

const call = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  idp.call(method, BASE + path, { ...(json === undefined ? {} : { json }), headers: { ...idp.internal, ...headers } });

const provision = (fields: Record<string, unknown> = {}) =>
  call('POST', '/provision', {
    service: 'shop',
    environment: 'prod',
    orgSlug: 'acme',
    redirectUris: [CALLBACK],
    scopes: ['openid', 'profile', 'email'],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    create: true,
    ...fields,
  });

/** Whether the client can prove itself with a secret, as the token endpoint would look at it. */
async function accepts(clientId: string, secret: string): Promise<boolean> {
  const client = await idp.deps.clients.find(clientId);
  return client?.secrets.some(({ hash }) => hash === idp.deps.tokens.hash(secret)) ?? false;
}

describe('provisioning the client of a service', () => {
  it('makes it once, with a secret shown once, and extends it after that without one', async () => {
    const made = await provision();
    assert.equal(made.status, 200);
    const { clientId, created, clientSecret } = made.body.data;
    assert.deepEqual([clientId, created], ['shop-prod', true]);
    assert.match(clientSecret, /^flcs_/);
    assert.equal(await accepts('shop-prod', clientSecret), true);
    const again = await provision();
    assert.deepEqual(again.body.data, {
      clientId: 'shop-prod',
      created: false,
      clientSecret: null,
      preserved: { redirectUris: [], scopes: [], grantTypes: [] },
    });
    assert.equal(await accepts('shop-prod', clientSecret), true, 'the secret it had is good still');
  });

  it('replaces the secret whose answer was lost, and refuses a request that was held up', async () => {
    const key = 'svc_keyed/prod/0';
    const ask = (replaces: string | null) =>
      provision({ service: 'keyed', newSecret: true, secretFor: { key, replaces } });
    const secrets = async () => (await call('GET', '/keyed-prod')).body.data.secrets;
    const lost = (await ask(null)).body.data.clientSecret;
    const [{ id, issuedFor }] = await secrets();
    assert.equal(issuedFor, key);
    const late = await ask(null);
    assert.deepEqual([late.status, late.body.error.code], [409, 'CONFLICT'], late.text);
    const known = (await ask(id)).body.data.clientSecret;
    assert.equal((await secrets()).length, 1);
    assert.deepEqual([await accepts('keyed-prod', lost), await accepts('keyed-prod', known)], [false, true]);
    const [{ id: last }] = await secrets();
    const two = await Promise.all([ask(last), ask(last)]);
    assert.deepEqual(two.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await secrets()).length, 1);
  });

  it('adds what is derived, keeps what is there by hand and names it', async () => {
    const byHand = 'http://localhost:3000/api/auth/callback';
    await call('POST', '/shop-prod/redirect-uris', { redirectUri: byHand });
    await call('PATCH', '/shop-prod', { allowedScopes: ['openid', 'profile', 'email', 'personas:mint'] });
    const { body } = await provision({ scopes: ['openid', 'profile', 'email', 'mailer:send'] });
    assert.deepEqual(body.data.preserved, { redirectUris: [byHand], scopes: ['personas:mint'], grantTypes: [] });
    const client = await idp.deps.clients.find('shop-prod');
    assert.deepEqual(client?.redirectUris, [CALLBACK, byHand]);
    assert.deepEqual(client?.allowedScopes, ['openid', 'profile', 'email', 'personas:mint', 'mailer:send']);
  });

  it('writes the passport fields from the catalog, flags switched on and off', async () => {
    const on = {
      includeBranding: true,
      includeEntityHash: false,
      headless: true,
      allowedEmbedOrigins: ['https://a.example'],
    };
    await provision({ passportConfig: on });
    assert.deepEqual((await idp.deps.clients.find('shop-prod'))?.passportConfig, on);
    const off = { includeBranding: false, includeEntityHash: false, headless: false, allowedEmbedOrigins: [] };
    await provision({ passportConfig: off });
    assert.deepEqual((await idp.deps.clients.find('shop-prod'))?.passportConfig, off);
  });

  it('20 deploys at once make one client with one secret that works', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => provision({ service: 'rush' })));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const created = answers.filter(({ body }) => body.data.created);
    assert.equal(created.length, 1);
    assert.equal(await accepts('rush-prod', created[0]?.body.data.clientSecret), true);
  });

  it('a deploy that lost the secret gets another, and what runs with the old one goes on', async () => {
    const first = (await provision({ service: 'lost' })).body.data.clientSecret;
    const second = (await provision({ service: 'lost', newSecret: true })).body.data;
    assert.equal(second.created, false);
    assert.deepEqual(
      [await accepts('lost-prod', first), await accepts('lost-prod', second.clientSecret)],
      [true, true],
    );
    const third = (await provision({ service: 'lost', newSecret: true })).body.data.clientSecret;
    assert.equal(await accepts('lost-prod', third), true, 'where there is no room the new one replaces all');
    assert.equal(await accepts('lost-prod', first), false);
  });

  it('a client that another process deleted a moment ago is made anew', async () => {
    const clients = idp.db.collection<{ _id: string }>(COLLECTIONS.clients);
    for (const fields of [{ scopes: ['mailer:send'] }, { newSecret: true }]) {
      await provision({ service: 'ghost' });
      assert.ok(await idp.deps.clients.find('ghost-prod'), 'it is remembered for a second');
      await clients.deleteOne({ _id: 'ghost-prod' });
      const { body } = await provision({ service: 'ghost', ...fields });
      assert.equal(body.data.created, true);
      assert.equal(await accepts('ghost-prod', body.data.clientSecret), true);
    }
  });

  it('without create, a missing client is said to be missing', async () => {
    const { status, body } = await provision({ service: 'absent', create: false });
    assert.deepEqual([status, body.error.code], [404, 'CLIENT_NOT_FOUND']);
    assert.equal(await idp.deps.clients.find('absent-prod'), null);
  });

  it('refuses every callback path but the one of services', async () => {
    const { status, body } = await provision({ redirectUris: ['https://shop.apps.example/callback'] });
    assert.deepEqual([status, body.error.code], [400, 'INVALID_REDIRECT_URI']);
    assert.match(body.error.message, /Invalid Redirect URI.*\/api\/auth\/callback/);
  });

  it('does not hand the client of one org to a service of another', async () => {
    await idp.seedClient('taken-prod', { orgSlug: 'other', allowedScopes: ['openid', 'personas:mint'] });
    const before = await idp.deps.clients.find('taken-prod');
    for (const newSecret of [false, true]) {
      const { status, body } = await provision({ service: 'taken', newSecret });
      assert.deepEqual([status, body.error.code], [409, 'CLIENT_EXISTS']);
    }
    assert.deepEqual(await idp.deps.clients.find('taken-prod'), before);
  });

  it('a client of the same org that was made by hand becomes the service’s', async () => {
    await idp.seedClient('adopted-prod', { orgSlug: 'acme' });
    assert.equal((await provision({ service: 'adopted' })).body.data.created, false);
    const client = await idp.deps.clients.find('adopted-prod');
    assert.deepEqual([client?.service, client?.environment], ['adopted', 'prod']);
  });
});
