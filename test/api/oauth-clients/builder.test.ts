import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { openCredential, sealCredential } from '../../../domain/oauth-clients/credential.ts';
import { createInMemoryClients } from '../../support/in-memory/provider.ts';
import { type Answer, startApi, type TestApi } from '../../support/start-api.ts';

const cipher = createSecretCipher([Buffer.alloc(32, 7)]);
const ACME = 'acme/member';
const ADMIN = 'acme/admin';
const OTHER = 'other/admin';
const SUPER = 'platform/super_admin';

const { administration, store, seedClient, accepts } = createInMemoryClients(['acme', 'other', 'platform']);
let api: TestApi;
before(async () => {
  api = await startApi(null, administration);
});
after(() => api.stop());

const call = (who: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  api.call(method, path, body, { 'x-test-user': who });

/** A service of acme with its client, as a deploy leaves them. */
async function deployedService(name: string, authorizedOrgs: string[] = []): Promise<string> {
  const { service } = await api.services.upsert({ id: `svc_${name}`, name, org: 'acme' }, {});
  const clientId = `${name}-prod`;
  const { secret } = await seedClient(clientId, { orgSlug: 'acme', service: name, environment: 'prod' });
  const credential = sealCredential(cipher, name, 'prod', { clientId, clientSecret: secret });
  await api.services.setOAuthCredential(service.id, 'prod', credential);
  await api.authorize(service.id, authorizedOrgs);
  return clientId;
}

async function storedSecret(name: string): Promise<string | null> {
  const service = await api.services.find(name);
  assert.ok(service !== null);
  return openCredential(cipher, service, 'prod')?.clientSecret ?? null;
}

const idsOf = (answer: Answer): string[] => answer.body.data.items.map((row: { clientId: string }) => row.clientId);

describe('a client of another org', () => {
  it('answers 404 to every route, exactly as one that does not exist', async () => {
    await seedClient('hidden', { orgSlug: 'acme' });
    const routes: readonly (readonly [string, string, unknown?])[] = [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine' }],
      ['PATCH', '', { trustedClient: true }],
      ['DELETE', ''],
      ['POST', '/secrets'],
      ['DELETE', '/secrets/sec_x'],
      ['POST', '/regenerate-secret'],
      ['POST', '/redirect-uris', { redirectUri: 'https://a.example/cb' }],
      ['DELETE', '/redirect-uris', { redirectUri: 'https://a.example/cb' }],
    ];
    for (const [method, path, body] of routes) {
      const there = await call(OTHER, method, `/oauth/clients/hidden${path}`, body);
      const nowhere = await call(OTHER, method, `/oauth/clients/nobody${path}`, body);
      assert.deepEqual([there.status, there.body.error.code], [404, 'CLIENT_NOT_FOUND'], `${method} ${path}`);
      assert.equal(there.text.replaceAll('hidden', 'nobody'), nowhere.text, `${method} ${path}`);
    }
    assert.equal((await store.find('hidden'))?.name, 'Client hidden');
  });

  it('is in nobody else’s list', async () => {
    assert.ok(idsOf(await call(ACME, 'GET', '/oauth/clients?limit=200')).includes('hidden'));
    assert.deepEqual(idsOf(await call(OTHER, 'GET', '/oauth/clients')), []);
    assert.ok(idsOf(await call(SUPER, 'GET', '/oauth/clients?limit=200')).includes('hidden'));
  });

  it('is not won by registering a service that makes its id', async () => {
    await seedClient('portal-prod', { orgSlug: 'acme' });
    await api.services.upsert({ id: 'svc_portal', name: 'portal', org: 'other' }, {});
    assert.equal((await call(OTHER, 'GET', '/oauth/clients/portal-prod')).status, 404);
    assert.deepEqual(idsOf(await call(OTHER, 'GET', '/oauth/clients')), []);
  });
});

describe('a client of a service', () => {
  it('is seen by the service’s org and the authorized one, unchanged from the provider', async () => {
    const clientId = await deployedService('shared', ['partner']);
    const known = await administration.find(clientId);
    for (const who of [ACME, 'acme/viewer', 'partner/viewer', SUPER]) {
      const shown = await call(who, 'GET', `/oauth/clients/${clientId}`);
      assert.deepEqual([shown.status, shown.body.data], [200, known], who);
    }
    assert.deepEqual(idsOf(await call('partner/viewer', 'GET', '/oauth/clients')), [clientId]);
  });

  it('takes the one callback path of services', async () => {
    const clientId = await deployedService('callback');
    const wrong = await call(ACME, 'POST', `/oauth/clients/${clientId}/redirect-uris`, {
      redirectUri: 'https://shop.example/cb',
    });
    assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'INVALID_REDIRECT_URI']);
    const redirectUri = 'http://localhost:3000/api/auth/callback';
    const added = await call(ACME, 'POST', `/oauth/clients/${clientId}/redirect-uris`, { redirectUri });
    assert.deepEqual(added.body.data.redirectUris, [redirectUri]);
    const gone = await call(ACME, 'DELETE', `/oauth/clients/${clientId}/redirect-uris`, { redirectUri });
    assert.deepEqual(gone.body.data.redirectUris, []);
  });

  it('deleting it clears the stored credential', async () => {
    const clientId = await deployedService('cleared');
    assert.equal((await call(ACME, 'DELETE', `/oauth/clients/${clientId}`)).status, 403, 'a member may not');
    assert.equal((await call(ADMIN, 'DELETE', `/oauth/clients/${clientId}`)).status, 200);
    assert.equal(await store.find(clientId), null);
    assert.equal(await storedSecret('cleared'), null);
  });

  it('session-info names client, cookie and host, also where nothing was deployed yet', async () => {
    await deployedService('sessions');
    const prod = await call('acme/viewer', 'GET', '/services/sessions/session-info');
    assert.deepEqual(prod.body.data, {
      service: 'sessions',
      environment: 'prod',
      clientId: 'sessions-prod',
      cookieName: 'bd-token',
      url: 'http://sessions.prod.localhost:8000',
      domain: 'sessions.prod.localhost',
    });
    const uat = await call('acme/viewer', 'GET', '/services/sessions/session-info?env=uat');
    assert.deepEqual([uat.body.data.clientId, uat.body.data.domain], ['sessions-uat', 'sessions.uat.localhost']);
    assert.equal((await call('acme/viewer', 'GET', '/services/nobody/session-info')).status, 404);
    assert.equal((await call(OTHER, 'GET', '/services/sessions/session-info')).status, 404);
    assert.equal((await call(ACME, 'GET', '/services/sessions/session-info?env=moon')).status, 400);
  });

  it('its credential is in no reply of the builder', async () => {
    await deployedService('sealed');
    const stored = (await api.services.find('sealed'))?.oauthCredentials.prod?.secret.sealed ?? '';
    assert.ok(stored.length > 20);
    for (const path of ['/services/sealed', '/services?limit=200', '/services/sealed/session-info']) {
      const { text } = await api.call('GET', path);
      assert.ok(!text.includes(stored) && !text.includes('oauthCredentials'), path);
    }
  });
});

describe('creating and changing clients', () => {
  it('a member creates one in their own org, with a secret shown once', async () => {
    const made = await call(ACME, 'POST', '/oauth/clients', {
      name: 'Intranet',
      redirectUris: ['https://in.example/cb'],
    });
    assert.equal(made.status, 201);
    const { clientId, orgSlug, allowedScopes, clientSecret, createdBy } = made.body.data;
    assert.deepEqual([orgSlug, createdBy, allowedScopes], ['acme', 'usr_test', ['openid', 'profile', 'email']]);
    assert.equal(await accepts(clientId, clientSecret), true);
    assert.ok(!(await call(ACME, 'GET', `/oauth/clients/${clientId}`)).text.includes(clientSecret));
  });

  it('what needs a super admin is refused by name, and nothing is made', async () => {
    for (const [fields, named] of [
      [{ orgSlug: 'other' }, 'orgSlug'],
      [{ allowedScopes: ['openid', 'mailer:send'] }, 'allowedScopes'],
      [{ allowedGrantTypes: ['client_credentials'] }, 'allowedGrantTypes'],
      [{ headlessEnabled: true }, 'headlessEnabled'],
      [{ trustedClient: true }, 'trustedClient'],
      [{ trustedInviteSignup: true }, 'trustedInviteSignup'],
      [{ clientId: 'billing-prod' }, 'clientId'],
    ] as const) {
      const { status, body } = await call(ADMIN, 'POST', '/oauth/clients', {
        clientId: 'forbidden',
        name: 'X',
        ...fields,
      });
      assert.deepEqual([status, body.error.code], [403, 'FORBIDDEN'], named);
      assert.match(body.error.message, new RegExp(named));
    }
    assert.equal(await store.find('forbidden'), null);
    const made = await call(SUPER, 'POST', '/oauth/clients', {
      name: 'X',
      orgSlug: 'other',
      allowedScopes: ['mailer:send'],
    });
    assert.deepEqual([made.status, made.body.data.orgSlug], [201, 'other']);
  });

  it('an update drops unknown fields, refuses what is not the caller’s, and lets switches be turned off', async () => {
    const flags = { includeBranding: true, includeEntityHash: false, headless: true, allowedEmbedOrigins: [] };
    await seedClient('editable', { orgSlug: 'acme', headlessEnabled: true, passportConfig: flags });
    const fine = { name: 'Edited', colour: 'red', orgSlug: 'other', llmAccessEnabled: true, headlessEnabled: false };
    const changed = await call(ACME, 'PATCH', '/oauth/clients/editable', fine);
    assert.equal(changed.status, 200);
    const { name, orgSlug, llmAccessEnabled, headlessEnabled } = changed.body.data;
    assert.deepEqual([name, orgSlug, llmAccessEnabled, headlessEnabled], ['Edited', 'acme', false, false]);
    for (const patch of [
      { headlessEnabled: true },
      { allowedScopes: ['openid'] },
      { name: 'Again', passportConfig: { includeEntityHash: true } },
      { trustedInviteSignup: true },
    ]) {
      assert.equal((await call(ACME, 'PATCH', '/oauth/clients/editable', patch)).status, 403, JSON.stringify(patch));
    }
    const off = await call(ACME, 'PATCH', '/oauth/clients/editable', { passportConfig: { headless: false } });
    assert.deepEqual(off.body.data.passportConfig, { ...flags, headless: false });
    assert.equal(off.body.data.name, 'Edited');
    assert.equal((await call(SUPER, 'PATCH', '/oauth/clients/editable', { headlessEnabled: true })).status, 200);
    for (const who of [SUPER, ADMIN]) {
      const refused = await call(who, 'PATCH', '/oauth/clients/editable', { trustedInviteSignup: true });
      assert.equal(refused.status, 403, who);
    }
    const internal = await api.call('PATCH', '/oauth/clients/editable', { trustedInviteSignup: true });
    assert.equal(internal.status, 403);
  });

  it('viewers read and change nothing; strangers not even that', async () => {
    await seedClient('readable', { orgSlug: 'acme' });
    assert.equal((await call('acme/viewer', 'GET', '/oauth/clients/readable')).status, 200);
    for (const [method, path, body] of [
      ['POST', '', { name: 'X' }],
      ['PATCH', '/readable', { name: 'X' }],
      ['DELETE', '/readable', undefined],
      ['POST', '/readable/secrets', undefined],
      ['POST', '/readable/regenerate-secret', undefined],
      ['POST', '/readable/redirect-uris', { redirectUri: 'https://a.example/cb' }],
    ] as const) {
      assert.equal((await call('acme/viewer', method, `/oauth/clients${path}`, body)).status, 403, `${method} ${path}`);
      const stranger = await api.call(method, `/oauth/clients${path}`, body, { 'x-internal-key': 'wrong' });
      assert.equal(stranger.status, 401, `${method} ${path}`);
    }
  });
});
