import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { createClientAdministration } from '../../../adapters/idp/client-administration.ts';
import { openCredential, sealCredential } from '../../../domain/oauth-clients/credential.ts';
import { assertNotLogged } from '../../support/not-logged.ts';
import { type Answer, startApi, type TestApi } from '../../support/start-api.ts';
import { KEY as IDP_KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { createStoredBuilderParts } from '../../support/stored-builder-parts.ts';

/** The builder on a real store, before the real provider. */

const cipher = createSecretCipher([Buffer.alloc(32, 7)]);
const ACME = 'acme/member';

let idp: TestIdp;
let api: TestApi;
before(async () => {
  idp = await startIdp({ database: 'server' });
  await idp.seedOrg('acme');
  const clients = createClientAdministration({ url: idp.address, internalKey: IDP_KEY });
  api = await startApi(null, clients, await createStoredBuilderParts());
});
after(async () => {
  await api.stop();
  await idp.stop();
});

const call = (who: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  api.call(method, path, body, { 'x-test-user': who });

/** A service of acme with its client, as a deploy leaves them. */
async function deployedService(name: string): Promise<string> {
  const { service } = await api.services.upsert({ id: `svc_${name}`, name, org: 'acme' }, {});
  const clientId = `${name}-prod`;
  const { secret } = await idp.seedClient(clientId, { orgSlug: 'acme', service: name, environment: 'prod' });
  const credential = sealCredential(cipher, name, 'prod', { clientId, clientSecret: secret });
  await api.services.setOAuthCredential(service.id, 'prod', credential);
  return clientId;
}

async function storedSecret(name: string): Promise<string | null> {
  const service = await api.services.find(name);
  assert.ok(service !== null);
  return openCredential(cipher, service, 'prod')?.clientSecret ?? null;
}

async function accepts(clientId: string, secret: string): Promise<boolean> {
  const client = await idp.deps.clients.find(clientId);
  return client?.secrets.some(({ hash }) => hash === idp.deps.tokens.hash(secret)) ?? false;
}

describe('a client of a service, at the provider', () => {
  it('is shown unchanged from the provider', async () => {
    const clientId = await deployedService('shown');
    const { body } = await idp.call('GET', `/api/internal/oauth-clients/${clientId}`, { headers: idp.internal });
    const shown = await call(ACME, 'GET', `/oauth/clients/${clientId}`);
    assert.deepEqual([shown.status, shown.body.data], [200, body.data]);
  });

  it('a secret made through the builder is the one the next deploy injects', async () => {
    const clientId = await deployedService('rotated');
    const before = await storedSecret('rotated');
    const second = await call(ACME, 'POST', `/oauth/clients/${clientId}/secrets`);
    assert.equal(second.status, 201);
    assert.equal(await storedSecret('rotated'), second.body.data.clientSecret);
    assert.equal(await accepts(clientId, before ?? ''), true, 'what runs now goes on');
    const fresh = await call(ACME, 'POST', `/oauth/clients/${clientId}/regenerate-secret`);
    assert.equal(await storedSecret('rotated'), fresh.body.data.clientSecret);
    assert.equal(await accepts(clientId, fresh.body.data.clientSecret), true);
    assert.equal(await accepts(clientId, second.body.data.clientSecret), false);
    assertNotLogged(api.logged, '/regenerate-secret', [fresh.body.data.clientSecret]);
  });

  it('of several who replace its secret at once, none is told that a void one is kept for the service', async () => {
    const clientId = await deployedService('contested');
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => call(ACME, 'POST', `/oauth/clients/${clientId}/regenerate-secret`)),
      );
      const kept = await storedSecret('contested');
      assert.ok(answers.some(({ status }) => status === 200));
      for (const { status, body } of answers) {
        if (status === 409) assert.equal(body.error.code, 'CONFLICT');
        else if (body.data.clientSecret === kept) assert.equal(await accepts(clientId, kept ?? ''), true);
      }
    }
  });

  it('the provider’s audit trail names the person, not the builder', async () => {
    await idp.seedClient('traced', { orgSlug: 'acme' });
    await call(ACME, 'PATCH', '/oauth/clients/traced', { name: 'Traced' });
    const { items } = await idp.deps.audit.list({ subject: 'traced' }, { cursor: null, limit: 5 });
    assert.deepEqual(
      items.map(({ type, actor }) => [type, actor]),
      [['oauth.client_updated', 'usr_test']],
    );
  });
});

describe('a client of the platform, through the builder', () => {
  it('is not changed by the people of the platform’s org, nor by its services', async () => {
    const before = await idp.deps.clients.find('fairlead-cli');
    const requests: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['POST', '/redirect-uris', { redirectUri: 'https://evil.example/cb' }],
      ['PATCH', '', { redirectUris: ['https://evil.example/cb'] }],
      ['PATCH', '', { name: 'Not the command line' }],
      ['DELETE', '/redirect-uris', { redirectUri: 'http://127.0.0.1/callback' }],
      ['POST', '/regenerate-secret'],
      ['DELETE', ''],
    ];
    for (const who of ['platform/member', 'platform/admin']) {
      for (const [method, path, body] of requests) {
        const answer = await call(who, method, `/oauth/clients/fairlead-cli${path}`, body);
        assert.equal(answer.status, 403, `${who} ${method} ${path}: ${answer.text}`);
      }
    }
    assert.deepEqual(await idp.deps.clients.find('fairlead-cli'), before);
  });
});
