import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { credentialVariables } from '../../../../activities/deploys/client-credentials.ts';
import { provisionOAuthClient } from '../../../../activities/deploys/steps/provision-oauth-client.ts';
import { createSecretCipher } from '../../../../adapters/crypto/secret-cipher.ts';
import type { Catalog } from '../../../../domain/catalog/catalog.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { sealCredential } from '../../../../domain/oauth-clients/credential.ts';
import { NO_PASSPORT } from '../../../../domain/passport-config.ts';
import { clientRecord } from '../../../ports/identity/records.ts';
import { catalogRecord } from '../../../ports/records.ts';
import { dyingAt } from '../../../support/dying-at.ts';
import { hashOfSecret, providerAway } from '../../../support/in-memory/client-administration.ts';
import { createInMemoryEdgeRouter } from '../../../support/in-memory/edge-router.ts';
import { readBehind } from '../../../support/in-memory/read-behind.ts';
import { shareService } from '../../../support/share-service.ts';
import { useDeploy } from '../use-deploy.ts';

const BY_HAND = 'http://localhost:3000/api/auth/callback';
const CLIENT_ID = 'hello-prod';

let parts: Awaited<ReturnType<typeof useDeploy>>['parts'];
let attempt: Awaited<ReturnType<typeof useDeploy>>['attempt'];
const lines: string[] = [];
const warnings: string[] = [];

beforeEach(async () => {
  ({ parts, attempt } = await useDeploy({ settings: { platformUrls: { IDP_URL: 'https://idp.example' } } }));
  await parts.services.upsert({ id: 'svc_mailer', name: 'mailer', org: 'acme' }, {});
  lines.length = 0;
  warnings.length = 0;
});

const edgeAt = (domain: string) => createInMemoryEdgeRouter({ network: parts.network, domain });

async function deploy(
  changes: Partial<Catalog> = {},
  given: Partial<Parameters<typeof provisionOAuthClient>[0]> = {},
  signal?: AbortSignal,
): Promise<void> {
  const catalog = catalogRecord({ auth: { mode: 'sso', passport: NO_PASSPORT }, ...changes });
  const step = attempt({ catalog }, signal);
  try {
    assert.deepEqual(await provisionOAuthClient({ ...parts, ...given }, step), {}, 'no secret becomes a fact');
  } finally {
    lines.push(...step.lines);
    warnings.push(...step.warnings);
  }
}

/** What the next workload would get. */
async function injected() {
  const service = await parts.services.find('hello');
  assert.ok(service !== null);
  return credentialVariables(parts, service, 'prod');
}

async function worksNow(): Promise<boolean> {
  const { IDP_CLIENT_ID: id = '', IDP_CLIENT_SECRET: secret = '' } = await injected();
  const client = await parts.clientStore.find(id);
  return client?.secrets.some(({ hash }) => hash === hashOfSecret(secret)) ?? false;
}

const failsWith = (code: string) => (error: unknown) => error instanceof FairleadError && error.code === code;

describe('the OAuth client of a deploy', () => {
  it('is made at the first deploy, with its callback, scopes and grants, and a secret that is stored sealed', async () => {
    await deploy({ dependencies: [{ service: 'mailer', scopes: ['send'] }] });
    const client = await parts.clientStore.find(CLIENT_ID);
    assert.deepEqual(client?.redirectUris, [
      'http://hello.prod.localhost:8000/api/auth/callback',
      'http://hello.localhost:8000/api/auth/callback',
    ]);
    assert.deepEqual(client?.allowedScopes, ['openid', 'profile', 'email', 'mailer:send']);
    assert.deepEqual(client?.allowedGrantTypes, ['authorization_code', 'refresh_token', 'client_credentials']);
    assert.deepEqual([client?.orgSlug, client?.service, client?.environment], ['acme', 'hello', 'prod']);
    assert.equal(await worksNow(), true);
    const { IDP_CLIENT_SECRET: secret = '' } = await injected();
    assert.ok(!JSON.stringify(await parts.services.find('hello')).includes(secret));
    assert.ok(![...lines, ...warnings].join().includes(secret));
  });

  it('has the callbacks of the names that are the service\u2019s own in that environment', async () => {
    const asked: object[] = [];
    const customDomains = {
      ...parts.customDomains,
      verified: async (place: object) => {
        asked.push(place);
        return ['shop.example.com'];
      },
    };
    await deploy({}, { customDomains });
    const client = await parts.clientStore.find(CLIENT_ID);
    assert.ok(client?.redirectUris.includes('https://shop.example.com/api/auth/callback'));
    assert.deepEqual(asked[0], { serviceId: (await parts.services.find('hello'))?.id, environment: 'prod' });
  });

  it('keeps no callback of a name that was taken from the service while it was added', async () => {
    let names: readonly string[] = ['kept.example.com', 'lost.example.com'];
    const customDomains = {
      ...parts.customDomains,
      verified: async () => {
        const found = names;
        names = ['kept.example.com'];
        return found;
      },
    };
    await deploy({}, { customDomains });
    const uris = (await parts.clientStore.find(CLIENT_ID))?.redirectUris ?? [];
    assert.ok(uris.includes('https://kept.example.com/api/auth/callback'));
    assert.ok(!uris.includes('https://lost.example.com/api/auth/callback'));
  });

  describe('when a name is taken from the service after it was read', () => {
    /** Names of the service until a provider is asked for their callbacks, in the moment before it carries that out. */
    const lostMeanwhile = (name: string, then: () => Promise<void> = async () => undefined) => {
      let names: readonly string[] = [name];
      const customDomains = { ...parts.customDomains, verified: async () => names };
      const provision = async (...given: Parameters<typeof parts.clients.provision>) => {
        names = [];
        const reply = await parts.clients.provision(...given);
        await then();
        return reply;
      };
      return { customDomains, clients: { ...parts.clients, provision } };
    };
    const callbacksNow = async () => ((await parts.clientStore.find(CLIENT_ID))?.redirectUris ?? []).join();
    const isSettled = async () =>
      assert.deepEqual((await parts.services.find('hello'))?.pendingCallbacks.prod ?? [], []);

    it('its callback is not kept, also when the answer of the provider was lost', async () => {
      await deploy({}, lostMeanwhile('lost.example.com'));
      assert.doesNotMatch(await callbacksNow(), /lost/);
      const lost = () => Promise.reject(new FairleadError('UNAVAILABLE', 'No answer', { retryable: true }));
      await deploy({}, lostMeanwhile('lost.example.com', lost));
      assert.doesNotMatch(await callbacksNow(), /lost/);
      await isSettled();
    });

    it('nor, after the next deploy, when this one was killed at any moment', async () => {
      let wasKilled = true;
      for (let kill = 1; wasKilled; kill += 1) {
        const { customDomains, clients } = lostMeanwhile(`lost${kill}.example.com`);
        const dying = dyingAt(kill, { services: parts.services, clients });
        wasKilled = await deploy({}, { ...dying, customDomains }).then(
          () => false,
          (error) => error.message === 'killed',
        );
        await deploy();
        assert.doesNotMatch(await callbacksNow(), /lost/, `killed at call ${kill}`);
        await isSettled();
      }
    });

    it('and a provider that is away leaves it to the next deploy', async () => {
      await deploy();
      await parts.services.setPendingCallbacks('svc_hello', 'prod', ['lost.example.com']);
      const callback = 'https://lost.example.com/api/auth/callback';
      await parts.clientStore.update(CLIENT_ID, {}, { redirectUris: [callback] });
      await deploy({}, { clients: providerAway });
      assert.match(warnings.join(), /taken away by the next deploy/);
      assert.match(await callbacksNow(), /lost/);
      await deploy();
      assert.doesNotMatch(await callbacksNow(), /lost/);
      await isSettled();
    });
  });

  it('service-only gets service tokens alone', async () => {
    await deploy({ auth: { mode: 'service-only', passport: NO_PASSPORT } });
    const client = await parts.clientStore.find(CLIENT_ID);
    assert.deepEqual(client?.allowedGrantTypes, ['client_credentials']);
    assert.equal(await worksNow(), true);
  });

  it('is only added to: what was granted by hand stays, is named in the log, and so does the secret', async () => {
    await deploy();
    const first = await injected();
    await parts.clientStore.update(CLIENT_ID, {}, { redirectUris: [BY_HAND], allowedScopes: ['personas:mint'] });
    lines.length = 0;
    await deploy({ dependencies: [{ service: 'mailer', scopes: ['send'] }] });
    const client = await parts.clientStore.find(CLIENT_ID);
    assert.ok(client?.redirectUris.includes(BY_HAND));
    assert.deepEqual(client?.allowedScopes, ['openid', 'profile', 'email', 'personas:mint', 'mailer:send']);
    assert.ok(
      lines.some((line) => line.includes('personas:mint') && !line.includes('mailer:send')),
      lines.join('\n'),
    );
    assert.deepEqual(await injected(), first);
    await deploy();
    assert.ok((await parts.clientStore.find(CLIENT_ID))?.allowedScopes.includes('mailer:send'), 'a dropped dependency');
  });

  it('takes its passport fields from the catalog at every deploy', async () => {
    const passport = { ...NO_PASSPORT, headless: true, allowedEmbedOrigins: ['https://a.example'] };
    await deploy({ auth: { mode: 'sso', passport } });
    assert.deepEqual((await parts.clientStore.find(CLIENT_ID))?.passportConfig, passport);
    await deploy();
    assert.deepEqual((await parts.clientStore.find(CLIENT_ID))?.passportConfig, NO_PASSPORT);
  });

  it('gets a new secret where the stored one was asked for by hand and removed since', async () => {
    await deploy();
    const by = { actor: 'usr_eve', org: 'helpers', sharingRevision: 1 };
    const { clientSecret, secretId } = await parts.clients.addSecret(CLIENT_ID, by);
    assert.ok(clientSecret !== null && secretId !== null);
    const made = { clientId: CLIENT_ID, clientSecret, byHand: { secretId, org: 'helpers' } };
    const id = (await parts.services.find('hello'))?.id ?? '';
    await parts.services.setOAuthCredential(id, 'prod', sealCredential(parts.cipher, 'hello', 'prod', made));
    await deploy();
    assert.equal((await injected()).IDP_CLIENT_SECRET, clientSecret, 'it is good');
    await parts.clients.removeAdditions({ clientId: CLIENT_ID, org: 'helpers', revision: 2 }, { actor: 'internal' });
    assert.equal(await worksNow(), false);
    await deploy();
    assert.equal(await worksNow(), true);
    assert.match(warnings.join(), /stored secret of hello-prod was removed at the identity provider/);
    warnings.length = 0;
    await deploy();
    assert.deepEqual(warnings, []);
  });

  it('that was deleted is made anew, and the stored secret is the new one', async () => {
    await deploy();
    const before = await injected();
    await parts.clientStore.remove(CLIENT_ID);
    await deploy();
    assert.notEqual((await injected()).IDP_CLIENT_SECRET, before.IDP_CLIENT_SECRET);
    assert.equal(await worksNow(), true);
    assert.match(warnings.join(), /no longer existed at the identity provider/);
  });

  it('an attempt that ends after the client was made, before its secret was stored, is put right by the next', async () => {
    const services = {
      ...parts.services,
      setOAuthCredential: () =>
        Promise.reject(new FairleadError('UNAVAILABLE', 'The database is away', { retryable: true })),
    };
    await assert.rejects(deploy({}, { services }), failsWith('UNAVAILABLE'));
    assert.deepEqual(await injected(), {});
    await deploy();
    assert.equal(await worksNow(), true);
    // The same in the middle of making a deleted one anew: the old secret must not pass for the new one.
    await parts.clientStore.remove(CLIENT_ID);
    await assert.rejects(deploy({}, { services }), failsWith('UNAVAILABLE'));
    await deploy();
    assert.equal(await worksNow(), true);
  });

  it('a stored secret that no key opens any more is replaced by a new one, and what runs goes on with the old', async () => {
    await deploy();
    const before = (await parts.clientStore.find(CLIENT_ID))?.secrets;
    const cipher = createSecretCipher([Buffer.alloc(32, 9)]);
    const changed = { ...parts, cipher };
    await deploy({}, { cipher });
    assert.match(warnings.join(), /stored secret of hello-prod cannot be read.*gets a new one/);
    const service = await parts.services.find('hello');
    assert.ok(service !== null);
    const { IDP_CLIENT_SECRET: secret = '' } = credentialVariables(changed, service, 'prod');
    const after = (await parts.clientStore.find(CLIENT_ID))?.secrets ?? [];
    assert.equal(after.at(-1)?.hash, hashOfSecret(secret));
    assert.deepEqual(after[0], before?.[0]);
    warnings.length = 0;
    await deploy({}, { cipher });
    assert.deepEqual(warnings, [], 'once');
    // A provider that is away gives none: nothing is installed that cannot log in.
    await assert.rejects(deploy({}, { clients: providerAway }), failsWith('UNAVAILABLE'));
  });

  describe('when the answer with a secret is lost', () => {
    const secretsNow = async () => (await parts.clientStore.find(CLIENT_ID))?.secrets ?? [];
    /** A provider that does what it is asked and is not heard, as where the process that asked is killed. */
    const unheard = () => ({
      ...parts.clients,
      provision: async (...given: Parameters<typeof parts.clients.provision>) => {
        await parts.clients.provision(...given);
        throw new FairleadError('UNAVAILABLE', 'No answer', { retryable: true });
      },
    });
    const loseAnswer = (given = {}) =>
      assert.rejects(deploy({}, { clients: unheard(), ...given }), failsWith('UNAVAILABLE'));

    it('no secret that nobody knows stays live: the next attempt, or build, replaces it', async () => {
      for (let build = 0; build < 3; build += 1) await loseAnswer();
      assert.equal((await secretsNow()).length, 1);
      await deploy();
      assert.equal((await secretsNow()).length, 1);
      assert.equal(await worksNow(), true);
    });

    it('nor one of a build that is killed at any call, while that of a workload that runs stays', async () => {
      await deploy();
      const [running] = await secretsNow();
      const cipher = createSecretCipher([Buffer.alloc(32, 9)]);
      let wasKilled = true;
      for (let kill = 1; wasKilled; kill += 1) {
        const dying = dyingAt(kill, { services: parts.services, clients: parts.clients });
        wasKilled = await deploy({}, { ...dying, cipher }).then(
          () => false,
          (error) => error.message === 'killed',
        );
        assert.ok((await secretsNow()).length <= 2, `killed at call ${kill}`);
      }
      const [first, second] = await secretsNow();
      assert.equal(first?.id, running?.id);
      const service = await parts.services.find('hello');
      assert.ok(service !== null);
      const { IDP_CLIENT_SECRET: secret = '' } = credentialVariables({ ...parts, cipher }, service, 'prod');
      assert.equal(second?.hash, hashOfSecret(secret));
    });

    it('a request that was held up until the next one was answered voids nothing', async () => {
      const held: (() => Promise<unknown>)[] = [];
      const holding = {
        ...parts.clients,
        provision: async (...given: Parameters<typeof parts.clients.provision>) => {
          held.push(() => parts.clients.provision(...given));
          throw new FairleadError('UNAVAILABLE', 'No answer', { retryable: true });
        },
      };
      await assert.rejects(deploy({}, { clients: holding }), failsWith('UNAVAILABLE'));
      await deploy();
      await assert.rejects(held[0]?.() ?? Promise.resolve(), failsWith('CONFLICT'));
      assert.equal(await worksNow(), true);
    });

    it('an attempt before whose eyes another one was made is tried again', async () => {
      await loseAnswer();
      const find: typeof parts.clients.find = async () => null;
      const behind = { ...parts.clients, find };
      await assert.rejects(deploy({}, { clients: behind }), { code: 'CONFLICT', retryable: true });
      await deploy();
      assert.equal(await worksNow(), true);
    });

    it('a database that fails over and does not show the stored one voids nothing', async () => {
      const services = await readBehind(parts.services, ['svc_hello']);
      await deploy();
      const before = await injected();
      await deploy({}, { services });
      assert.deepEqual(await injected(), before);
      assert.equal(await worksNow(), true);
    });
  });

  it('an org that is taken out while its client is made keeps no scope that only sharing gave', async () => {
    await parts.services.upsert({ id: 'svc_notes', name: 'notes', org: 'rival' }, {});
    await shareService(parts.services, 'svc_notes', ['acme']);
    const clients = {
      ...parts.clients,
      provision: async (...given: Parameters<typeof parts.clients.provision>) => {
        await shareService(parts.services, 'svc_notes', []);
        return parts.clients.provision(...given);
      },
    };
    await deploy({ dependencies: [{ service: 'notes', scopes: ['read'] }] }, { clients });
    assert.deepEqual((await parts.clientStore.find(CLIENT_ID))?.allowedScopes, ['openid', 'profile', 'email']);
  });

  it('a provider that is away leaves everything as it was, with a warning, once there are credentials', async () => {
    await deploy();
    const before = [await injected(), await parts.clientStore.find(CLIENT_ID)];
    await deploy({ dependencies: [{ service: 'mailer', scopes: ['send'] }] }, { clients: providerAway });
    assert.match(warnings.join(), /cannot be reached.*not synchronized/);
    assert.deepEqual([await injected(), await parts.clientStore.find(CLIENT_ID)], before);
  });

  it('a provider that is away at the first deploy is tried again: nothing is installed that cannot log in', async () => {
    for (const clients of [providerAway, null]) {
      await assert.rejects(deploy({}, { clients }), failsWith('UNAVAILABLE'));
    }
  });

  it('nothing is made where the secret could not be kept', async () => {
    await assert.rejects(deploy({}, { cipher: null }), (error: Error) => /CONFIG_ENCRYPTION_KEY/.test(error.message));
    assert.equal(await parts.clientStore.find(CLIENT_ID), null);
  });

  it('a client of that id that another org has ends the build and is not touched', async () => {
    await parts.clientStore.insert(clientRecord({ clientId: CLIENT_ID, orgSlug: 'other' }));
    const before = await parts.clientStore.find(CLIENT_ID);
    await assert.rejects(deploy(), failsWith('CLIENT_EXISTS'));
    assert.deepEqual(await parts.clientStore.find(CLIENT_ID), before);
  });

  it('scopes with a meaning of the platform cannot be had by declaring a dependency', async () => {
    await deploy({ dependencies: [{ service: 'personas', scopes: ['mint'] }] });
    assert.deepEqual((await parts.clientStore.find(CLIENT_ID))?.allowedScopes, ['openid', 'profile', 'email']);
    assert.match(warnings.join(), /personas:mint.*platform admin/);
  });

  it('scopes of another org’s service cannot be had by declaring a dependency, nor those of no service, and the log says so', async () => {
    await parts.services.upsert({ id: 'svc_notes', name: 'notes', org: 'rival' }, {});
    const dependencies = [
      { service: 'notes', scopes: ['admin'] },
      { service: 'nobody', scopes: ['admin'] },
    ];
    await deploy({ dependencies });
    assert.deepEqual((await parts.clientStore.find(CLIENT_ID))?.allowedScopes, ['openid', 'profile', 'email']);
    // Grants decide of the first, in a step of their own.
    assert.deepEqual(warnings, [
      'The scope nobody:admin was not granted: no service has that name; deploy that one first.',
    ]);
  });

  describe('when a dependency is removed after it was read', () => {
    const dependencies = [{ service: 'mailer', scopes: ['send'] }];
    /** A provider that is asked for scopes in the moment after the service that they are of was removed. */
    const lateProvider = (then: () => Promise<void> = async () => undefined) => ({
      ...parts.clients,
      provision: async (...given: Parameters<typeof parts.clients.provision>) => {
        await parts.services.setRemoving('svc_mailer', true);
        await parts.clients.revokeScopes({ service: 'mailer' }, { actor: 'internal' });
        await parts.services.remove('svc_mailer');
        const reply = await parts.clients.provision(...given);
        await then();
        return reply;
      },
    });
    const scopesNow = async () => (await parts.clientStore.find(CLIENT_ID))?.allowedScopes ?? [];
    const isSettled = async () => assert.deepEqual((await parts.services.find('hello'))?.pendingGrants.prod ?? [], []);

    it('its scopes are not kept, whoever has its name by then', async () => {
      const taken = async () =>
        void (await parts.services.upsert({ id: 'svc_thief', name: 'mailer', org: 'rival' }, {}));
      await deploy({ dependencies }, { clients: lateProvider(taken) });
      assert.deepEqual(await scopesNow(), ['openid', 'profile', 'email']);
      await isSettled();
    });

    it('nor while the database fails over, and one member of it still has the service', async () => {
      const services = await readBehind(parts.services, ['svc_mailer', 'mailer']);
      await deploy({ dependencies }, { services, clients: lateProvider() });
      assert.deepEqual(await scopesNow(), ['openid', 'profile', 'email']);
      await isSettled();
    });

    it('nor when the answer of the provider was lost', async () => {
      const lost = () => Promise.reject(new FairleadError('UNAVAILABLE', 'No answer', { retryable: true }));
      await assert.rejects(deploy({ dependencies }, { clients: lateProvider(lost) }), failsWith('UNAVAILABLE'));
      assert.deepEqual(await scopesNow(), ['openid', 'profile', 'email']);
    });

    it('nor, after the next attempt, when this one was killed at any moment', async () => {
      let wasKilled = true;
      for (let kill = 1; wasKilled; kill += 1) {
        await parts.services.upsert({ id: 'svc_mailer', name: 'mailer', org: 'acme' }, {});
        const dying = dyingAt(kill, { services: parts.services, clients: lateProvider() });
        wasKilled = await deploy({ dependencies }, dying).then(
          () => false,
          (error) => error.message === 'killed',
        );
        await parts.services.remove('svc_mailer');
        await deploy({ dependencies });
        assert.ok(!(await scopesNow()).includes('mailer:send'), `killed at call ${kill}`);
        await isSettled();
      }
    });

    it('and a provider that is away leaves what is to be taken back to the next deploy', async () => {
      await deploy();
      await parts.services.setPendingGrants('svc_hello', 'prod', [{ id: 'svc_gone', name: 'gone' }]);
      await parts.clientStore.update(CLIENT_ID, {}, { allowedScopes: ['gone:read'] });
      await deploy({}, { clients: providerAway });
      assert.match(warnings.join(), /taken back by the next deploy/);
      await deploy();
      assert.deepEqual(await scopesNow(), ['openid', 'profile', 'email']);
      await isSettled();
    });

    it('while what a service of that name has granted by hand or by a deploy stays', async () => {
      await deploy({ dependencies });
      await parts.clientStore.update(CLIENT_ID, {}, { allowedScopes: ['erp:read'] });
      await deploy({ dependencies: [...dependencies, { service: 'erp', scopes: ['read'] }] });
      assert.deepEqual(await scopesNow(), ['openid', 'profile', 'email', 'mailer:send', 'erp:read']);
    });
  });

  it('a provider on the loopback, which no container reaches, is said in the build', async () => {
    for (const [url, told] of [
      ['http://localhost:3001', true],
      ['http://127.0.0.1:3001', true],
      ['http://[::1]:3001', true],
      ['http://192.168.1.7:3001', false],
      ['https://idp.example', false],
    ] as const) {
      warnings.length = 0;
      await deploy({}, { settings: { ...parts.settings, platformUrls: { IDP_URL: url }, hasPlatformProxy: false } });
      assert.equal(/cannot reach the identity provider.*HOST=0\.0\.0\.0/.test(warnings.join()), told, url);
    }
    warnings.length = 0;
    const platformUrls = { IDP_URL: 'http://localhost:3001' };
    await deploy({}, { settings: { ...parts.settings, platformUrls, hasPlatformProxy: true } });
    await deploy({ auth: null }, { settings: { ...parts.settings, platformUrls, hasPlatformProxy: false } });
    assert.deepEqual(warnings, [], 'neither where there is a proxy, nor for a service that uses no provider');
  });

  it('a public address without https gets no callback, and the log says why', async () => {
    await deploy({}, { edge: edgeAt('apps.lan') });
    assert.deepEqual((await parts.clientStore.find(CLIENT_ID))?.redirectUris, []);
    assert.match(warnings.join(), /is not https/);
  });

  it('an aborted attempt throws the reason, and makes nothing', async () => {
    await assert.rejects(deploy({}, {}, AbortSignal.abort(new Error('cancelled'))), /cancelled/);
    assert.equal(await parts.clientStore.find(CLIENT_ID), null);
    assert.deepEqual(await injected(), {});
  });

  it('a service that was deleted meanwhile is SERVICE_NOT_FOUND, and a build without auth asks for nothing', async () => {
    await deploy({ auth: null }, { clients: providerAway });
    await parts.services.remove('svc_hello');
    await assert.rejects(deploy(), failsWith('SERVICE_NOT_FOUND'));
    assert.equal(await parts.clientStore.find(CLIENT_ID), null);
  });
});
