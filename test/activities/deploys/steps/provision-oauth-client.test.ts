import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { credentialVariables } from '../../../../activities/deploys/client-credentials.ts';
import type { StepContext } from '../../../../activities/deploys/step.ts';
import { provisionOAuthClient } from '../../../../activities/deploys/steps/provision-oauth-client.ts';
import { createSecretCipher } from '../../../../adapters/crypto/secret-cipher.ts';
import { createEdgeRouter } from '../../../../adapters/edge-router/route-files.ts';
import { createClientAdministration } from '../../../../adapters/idp/client-administration.ts';
import { createServiceStore } from '../../../../adapters/mongo/catalog/services.ts';
import type { Catalog } from '../../../../domain/catalog/catalog.ts';
import { inferCatalog } from '../../../../domain/catalog/infer-catalog.ts';
import type { BuildRequest } from '../../../../domain/deploys/build.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { NO_PASSPORT } from '../../../../domain/passport-config.ts';
import { KEY, startIdp, type TestIdp } from '../../../support/start-idp.ts';

/** The step on a real identity provider, a real store of services and a real cipher. */

const BY_HAND = 'http://localhost:3000/api/auth/callback';

let idp: TestIdp;
let deps: Parameters<typeof provisionOAuthClient>[0];
let name: string;
let number = 0;
const lines: string[] = [];
const warnings: string[] = [];

before(async () => {
  idp = await startIdp();
  deps = {
    services: createServiceStore({ db: idp.db, now: () => new Date() }),
    clients: createClientAdministration({ url: idp.address, internalKey: KEY }),
    cipher: createSecretCipher([Buffer.alloc(32, 7)]),
    edge: edgeAt('localhost'),
    settings: { platformUrls: { IDP_URL: 'https://idp.example' }, hasPlatformDoor: false },
  };
});
after(() => idp.stop());

beforeEach(async () => {
  number += 1;
  name = `shop${number}`;
  lines.length = 0;
  warnings.length = 0;
  await deps.services.upsert({ id: `svc_${name}`, name, org: 'acme' }, {});
});

const edgeAt = (domain: string) => createEdgeRouter({ routesDirectory: '/nowhere', domain, port: 8000 });

function catalogWith(changes: Partial<Catalog>): Catalog {
  const { catalog } = inferCatalog({ manifest: '{"dependencies":{"express":"5"}}', files: [] });
  return { ...catalog, auth: { mode: 'sso', passport: NO_PASSPORT }, ...changes };
}

async function deploy(changes: Partial<Catalog> = {}, given: Partial<typeof deps> = {}): Promise<void> {
  const build: BuildRequest = {
    buildId: 'bld_1',
    kind: 'deploy',
    serviceId: `svc_${name}`,
    service: name,
    environment: 'prod',
    org: 'acme',
    source: { kind: 'git', url: 'https://git.example/x.git', branch: null, commit: null },
    requestedBy: 'usr_ada',
    requestId: 'req_1',
    requestedAt: '2026-01-01T00:00:00Z',
    resume: null,
    releaseId: null,
  };
  const context: StepContext = {
    build,
    facts: { catalog: catalogWith(changes) },
    signal: new AbortController().signal,
    onLine: (line) => void lines.push(line),
    warn: (warning) => void warnings.push(warning),
    diagnose: async () => undefined,
  };
  assert.deepEqual(await provisionOAuthClient({ ...deps, ...given }, context), {}, 'no secret becomes a fact');
}

/** What the next workload would get. */
async function injected() {
  const service = await deps.services.find(name);
  assert.ok(service !== null);
  return credentialVariables(deps, service, 'prod');
}

async function worksNow(): Promise<boolean> {
  const { IDP_CLIENT_ID: id = '', IDP_CLIENT_SECRET: secret = '' } = await injected();
  const client = await idp.deps.clients.find(id);
  return client?.secrets.some(({ hash }) => hash === idp.deps.tokens.hash(secret)) ?? false;
}

const failsWith = (code: string) => (error: unknown) => error instanceof FairleadError && error.code === code;

describe('the OAuth client of a deploy', () => {
  it('is made at the first deploy, with its callback, scopes and grants, and a secret that is stored sealed', async () => {
    await deploy({ dependencies: [{ service: 'mailer', scopes: ['send'] }] });
    const client = await idp.deps.clients.find(`${name}-prod`);
    assert.deepEqual(client?.redirectUris, [`http://${name}.prod.localhost:8000/api/auth/callback`]);
    assert.deepEqual(client?.allowedScopes, ['openid', 'profile', 'email', 'mailer:send']);
    assert.deepEqual(client?.allowedGrantTypes, ['authorization_code', 'refresh_token', 'client_credentials']);
    assert.deepEqual([client?.orgSlug, client?.service, client?.environment], ['acme', name, 'prod']);
    assert.equal(await worksNow(), true);
    const { IDP_CLIENT_SECRET: secret = '' } = await injected();
    assert.ok(!JSON.stringify(await deps.services.find(name)).includes(secret));
    assert.ok(![...lines, ...warnings].join().includes(secret));
  });

  it('service-only gets service tokens alone', async () => {
    await deploy({ auth: { mode: 'service-only', passport: NO_PASSPORT } });
    const client = await idp.deps.clients.find(`${name}-prod`);
    assert.deepEqual(client?.allowedGrantTypes, ['client_credentials']);
    assert.equal(await worksNow(), true);
  });

  it('is only added to: what was granted by hand stays, is named in the log, and so does the secret', async () => {
    await deploy();
    const first = await injected();
    await idp.deps.clients.update(`${name}-prod`, {}, { redirectUris: [BY_HAND], allowedScopes: ['personas:mint'] });
    lines.length = 0;
    await deploy({ dependencies: [{ service: 'mailer', scopes: ['send'] }] });
    const client = await idp.deps.clients.find(`${name}-prod`);
    assert.ok(client?.redirectUris.includes(BY_HAND));
    assert.deepEqual(client?.allowedScopes, ['openid', 'profile', 'email', 'personas:mint', 'mailer:send']);
    assert.ok(
      lines.some((line) => line.includes('personas:mint') && !line.includes('mailer:send')),
      lines.join('\n'),
    );
    assert.deepEqual(await injected(), first);
    await deploy();
    assert.ok(
      (await idp.deps.clients.find(`${name}-prod`))?.allowedScopes.includes('mailer:send'),
      'a dropped dependency',
    );
  });

  it('takes its passport fields from the catalog at every deploy', async () => {
    const passport = { ...NO_PASSPORT, headless: true, allowedEmbedOrigins: ['https://a.example'] };
    await deploy({ auth: { mode: 'sso', passport } });
    assert.deepEqual((await idp.deps.clients.find(`${name}-prod`))?.passportConfig, passport);
    await deploy();
    assert.deepEqual((await idp.deps.clients.find(`${name}-prod`))?.passportConfig, NO_PASSPORT);
  });

  it('that was deleted is made anew, and the stored secret is the new one', async () => {
    await deploy();
    const before = await injected();
    await idp.deps.clients.remove(`${name}-prod`);
    await deploy();
    assert.notEqual((await injected()).IDP_CLIENT_SECRET, before.IDP_CLIENT_SECRET);
    assert.equal(await worksNow(), true);
    assert.match(warnings.join(), /was gone at the identity provider/);
  });

  it('an attempt that ends after the client was made, before its secret was stored, is put right by the next', async () => {
    const services = {
      ...deps.services,
      setOAuthCredential: () =>
        Promise.reject(new FairleadError('UNAVAILABLE', 'The database is away', { retryable: true })),
    };
    await assert.rejects(deploy({}, { services }), failsWith('UNAVAILABLE'));
    assert.deepEqual(await injected(), {});
    await deploy();
    assert.equal(await worksNow(), true);
    // The same in the middle of making a deleted one anew: the old secret must not pass for the new one.
    await idp.deps.clients.remove(`${name}-prod`);
    await assert.rejects(deploy({}, { services }), failsWith('UNAVAILABLE'));
    await deploy();
    assert.equal(await worksNow(), true);
  });

  it('a provider that is away leaves everything as it was, with a warning, once there are credentials', async () => {
    await deploy();
    const before = [await injected(), await idp.deps.clients.find(`${name}-prod`)];
    const away = createClientAdministration({ url: 'http://127.0.0.1:1', internalKey: KEY });
    await deploy({ dependencies: [{ service: 'mailer', scopes: ['send'] }] }, { clients: away });
    assert.match(warnings.join(), /cannot be reached.*not synchronized/);
    assert.deepEqual([await injected(), await idp.deps.clients.find(`${name}-prod`)], before);
  });

  it('a provider that is away at the first deploy is tried again: nothing is installed that cannot log in', async () => {
    const away = createClientAdministration({ url: 'http://127.0.0.1:1', internalKey: KEY });
    for (const clients of [away, null]) {
      await assert.rejects(deploy({}, { clients }), failsWith('UNAVAILABLE'));
    }
  });

  it('nothing is made where the secret could not be kept', async () => {
    await assert.rejects(deploy({}, { cipher: null }), (error: Error) => /CONFIG_ENCRYPTION_KEY/.test(error.message));
    assert.equal(await idp.deps.clients.find(`${name}-prod`), null);
  });

  it('a client of that id that another org has ends the build and is not touched', async () => {
    await idp.seedClient(`${name}-prod`, { orgSlug: 'other' });
    const before = await idp.deps.clients.find(`${name}-prod`);
    await assert.rejects(deploy(), failsWith('CLIENT_EXISTS'));
    assert.deepEqual(await idp.deps.clients.find(`${name}-prod`), before);
  });

  it('scopes with a meaning of the platform cannot be had by declaring a dependency', async () => {
    await deploy({ dependencies: [{ service: 'personas', scopes: ['mint'] }] });
    assert.deepEqual((await idp.deps.clients.find(`${name}-prod`))?.allowedScopes, ['openid', 'profile', 'email']);
    assert.match(warnings.join(), /personas:mint.*platform admin/);
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
      await deploy({}, { settings: { platformUrls: { IDP_URL: url }, hasPlatformDoor: false } });
      assert.equal(/cannot reach the identity provider.*HOST=0\.0\.0\.0/.test(warnings.join()), told, url);
    }
    warnings.length = 0;
    const platformUrls = { IDP_URL: 'http://localhost:3001' };
    await deploy({}, { settings: { platformUrls, hasPlatformDoor: true } });
    await deploy({ auth: null }, { settings: { platformUrls, hasPlatformDoor: false } });
    assert.deepEqual(warnings, [], 'neither where there is a door, nor for a service that uses no provider');
  });

  it('a public address without https gets no callback, and the log says why', async () => {
    await deploy({}, { edge: edgeAt('apps.lan') });
    assert.deepEqual((await idp.deps.clients.find(`${name}-prod`))?.redirectUris, []);
    assert.match(warnings.join(), /is not https/);
  });
});
