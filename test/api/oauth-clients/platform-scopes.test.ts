import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { credentialVariables } from '../../../activities/deploys/client-credentials.ts';
import { provisionOAuthClient } from '../../../activities/deploys/steps/provision-oauth-client.ts';
import { createClientAdministration } from '../../../adapters/idp/client-administration.ts';
import { createPersonDirectory } from '../../../adapters/idp/person-directory.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import type { ClientAdministration } from '../../../domain/oauth-clients/administration-port.ts';
import { BASIC_SCOPES } from '../../../domain/oauth-clients/creation.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';
import { SITE_REGISTRY_CLIENT } from '../../../domain/services.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../sdk/index.ts';
import { recordingStep } from '../../activities/deploys/step-context.ts';
import { property } from '../../ports/properties/property-store.ts';
import { buildRequest, catalogRecord } from '../../ports/records.ts';
import { type Credential, everyCaller } from '../../support/every-caller.ts';
import { createInMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { startApi } from '../../support/start-api.ts';
import { type Answer, KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { startSiteRegistry, type TestSiteRegistry } from '../../support/start-site-registry.ts';
import { waitUntil } from '../../support/wait-until.ts';

const CLONED = '4be1cf3b0f5bbd4fd9d4c1f3cd7e2a9d9f0e8a11';
const GIT = { kind: 'git', url: 'https://git.example/hello.git', branch: 'main' } as const;
const GRANTED = ['webmaster:sync', 'webmaster:hooks', 'webmaster:dns'];

/** Services are deployed by the real step, before the real provider, and ask the site registry with the tokens that they get. */
describe('scopes of the site registry beyond reading', () => {
  let idp: TestIdp;
  let site: TestSiteRegistry;
  let verifier: TokenVerifier;
  let callers: Awaited<ReturnType<typeof everyCaller>>;
  let services = 0;
  before(async () => {
    idp = await startIdp();
    callers = await everyCaller(idp, idp.issuer);
    const connection = { url: idp.address, internalKey: KEY };
    const audience = SITE_REGISTRY_CLIENT;
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience, revocations: { internalKey: KEY } });
    site = await startSiteRegistry({}, { verifier, people: createPersonDirectory(connection), issuer: idp.issuer });
    await site.properties.insert({ ...property(), domain: 'here.com' });
  });
  after(async () => {
    verifier?.close();
    await site?.stop();
    await idp?.stop();
  });

  /** A service with a client of its own, deployed as often as asked, by an org. */
  function portal(org: string) {
    services += 1;
    const name = `portal-${services}`;
    const parts = createInMemoryDeploys({ platformUrls: { IDP_URL: idp.issuer } });
    const clients = createClientAdministration({ url: idp.address, internalKey: KEY });
    const asked = buildRequest({ serviceId: `svc_${name}`, service: name, org });
    const clientId = `${name}-prod`;

    async function token(scope: string | null): Promise<Answer> {
      const service = (await parts.services.find(name)) ?? assert.fail();
      const { IDP_CLIENT_ID, IDP_CLIENT_SECRET } = await credentialVariables(parts, service, 'prod');
      const json = { client_id: IDP_CLIENT_ID, client_secret: IDP_CLIENT_SECRET, audience: SITE_REGISTRY_CLIENT };
      const asked = scope === null ? {} : { scope };
      return await idp.call('POST', '/api/oauth/token', {
        json: { grant_type: 'client_credentials', ...json, ...asked },
      });
    }

    return {
      clientId,
      token,
      /**
       * @param dependency as the catalog names the site registry
       * @param by who asked for the deploy, and of what, where that is more than its being some member
       * @returns the warnings of the build
       */
      async deploy(
        dependency: string,
        scopes: readonly string[],
        by: Partial<BuildRequest> = asked,
        administration: ClientAdministration = clients,
      ): Promise<readonly string[]> {
        const build = { ...asked, ...by };
        await parts.services.upsert({ id: `svc_${name}`, name, org }, {});
        const auth = { mode: 'service-only', passport: NO_PASSPORT } as const;
        const catalog = catalogRecord({ auth, dependencies: [{ service: dependency, scopes }] });
        const step = recordingStep(build, { catalog, commitSha: CLONED });
        await provisionOAuthClient({ ...parts, clients: administration }, step);
        return step.warnings;
      },
      async scopes(): Promise<readonly string[]> {
        return (await idp.deps.clients.find(clientId))?.allowedScopes ?? [];
      },
      /** What the registry answers to the service itself. */
      async ask(method: 'GET' | 'POST', path: string, scope: string | null): Promise<number> {
        const { status, body, text } = await token(scope);
        assert.equal(status, 200, text);
        const headers = { authorization: `Bearer ${body.access_token}` };
        return (await site.call(method, path, method === 'POST' ? {} : undefined, headers)).status;
      },
    };
  }

  const patch = (clientId: string, allowedScopes: readonly string[], headers: Credential): Promise<Answer> =>
    idp.call('PATCH', `/api/internal/oauth-clients/${clientId}`, { json: { allowedScopes }, headers });

  for (const dependency of ['site-registry', 'webmaster']) {
    for (const org of ['platform', 'acme']) {
      it(`are not had by a service of ${org} that declares ${dependency} with them`, async () => {
        const service = portal(org);
        const warnings = await service.deploy(dependency, ['sync', 'webmaster:hooks', `${dependency}:dns`]);
        assert.deepEqual(await service.scopes(), BASIC_SCOPES);
        for (const scope of GRANTED) {
          assert.ok(
            warnings.some((text) => text.includes(`${scope} was not granted`) && text.includes('platform admin')),
          );
          const { status, body } = await service.token(scope);
          assert.deepEqual([status, body.error], [400, 'invalid_scope'], scope);
        }
        for (const [method, path] of [
          ['GET', '/api/properties/here.com'],
          ['POST', '/api/properties/here.com/check-now'],
        ] as const) {
          assert.equal(await service.ask(method, path, null), 403, 'a token without a scope opens nothing');
        }
      });
    }
  }

  const ADMIN = { requestedBy: 'usr_root', byPlatformAdmin: true } as const;
  const BY_ADMIN = { ...ADMIN, source: { ...GIT, commit: CLONED } } as const;
  const notGranted = (warnings: readonly string[]): readonly (string | undefined)[] =>
    warnings.filter((text) => text.includes('was not granted')).map((text) => text.split(' ')[2]);

  it('are had by a service of the platform that declares them once a platform admin deploys it, but for dns', async () => {
    const service = portal('platform');
    await service.deploy('site-registry', ['read', 'sync']);
    assert.equal((await service.token('webmaster:sync')).body.error, 'invalid_scope');
    const warnings = await service.deploy('site-registry', ['read', 'sync', 'webmaster:hooks', 'dns'], BY_ADMIN);
    const granted = [...BASIC_SCOPES, 'webmaster:read', 'webmaster:sync', 'webmaster:hooks'];
    assert.deepEqual(await service.scopes(), granted);
    assert.deepEqual(notGranted(warnings), ['webmaster:dns']);
    assert.equal(await service.ask('POST', '/api/properties/here.com/check-now', 'webmaster:sync'), 200);
    const { items } = await idp.deps.audit.list({ subject: service.clientId }, { cursor: null, limit: 50 });
    const changes = items.filter(({ type }) => type === 'oauth.client_updated');
    assert.deepEqual(
      changes.map(({ actor }) => actor),
      ['usr_root'],
      'the grant is on record, by who gave it',
    );
    await service.deploy('site-registry', ['read', 'sync', 'webmaster:hooks', 'dns'], BY_ADMIN);
    await service.deploy('site-registry', []);
    assert.deepEqual(await service.scopes(), granted, 'once, and a later deploy takes none away');
  });

  it('are had by the folder that a platform admin uploads', async () => {
    const service = portal('platform');
    const source = { kind: 'archive', archiveId: 'arc_1', sha256: 'f'.repeat(64) } as const;
    assert.deepEqual(notGranted(await service.deploy('site-registry', ['sync'], { ...ADMIN, source })), []);
    assert.deepEqual(await service.scopes(), [...BASIC_SCOPES, 'webmaster:sync']);
  });

  const resume = { buildId: 'bld_of_member', fromStep: 'source', facts: {} };
  for (const [what, by] of [
    ['a branch, which holds by then what others pushed', { source: { ...GIT, commit: null } }],
    ['an abbreviated commit, which others can make', { source: { ...GIT, commit: CLONED.slice(0, 12) } }],
    ['another commit than the one that was cloned', { source: { ...GIT, commit: 'a'.repeat(40) } }],
    ['what a build of somebody else failed with', { source: BY_ADMIN.source, resume }],
  ] as const) {
    it(`are not had by a deploy of a platform admin of ${what}`, async () => {
      const service = portal('platform');
      const warnings = await service.deploy('site-registry', ['sync', 'hooks'], { ...ADMIN, ...by });
      assert.deepEqual(notGranted(warnings), ['webmaster:sync', 'webmaster:hooks']);
      assert.match(warnings.join(), /its commit by the whole id/);
      assert.deepEqual(await service.scopes(), BASIC_SCOPES);
    });
  }

  it('are warned of by later deploys as far as the client has them not: what a catalog adds needs a grant of its own', async () => {
    const service = portal('platform');
    await service.deploy('site-registry', ['sync'], BY_ADMIN);
    assert.deepEqual(notGranted(await service.deploy('site-registry', ['sync'])), []);
    assert.deepEqual(notGranted(await service.deploy('site-registry', ['sync', 'hooks'])), ['webmaster:hooks']);
    const given = [...(await service.scopes()), 'webmaster:dns'];
    assert.equal((await patch(service.clientId, given, callers.root)).status, 200);
    assert.deepEqual(notGranted(await service.deploy('site-registry', ['sync', 'dns'])), []);
    assert.deepEqual(await service.scopes(), given);
    const away = createClientAdministration({ url: 'http://127.0.0.1:9', internalKey: KEY });
    const unknown = await service.deploy('site-registry', ['sync', 'hooks'], {}, away);
    assert.deepEqual(notGranted(unknown), [], 'a provider that is away says nothing of what the client has');
  });

  it('are not had by a service of another org whose deploy a platform admin asked for, nor others that admins grant', async () => {
    const [other, own] = [portal('acme'), portal('platform')];
    const warnings = await other.deploy('site-registry', ['sync'], BY_ADMIN);
    assert.deepEqual(await other.scopes(), BASIC_SCOPES);
    assert.ok(warnings.some((text) => text.includes('webmaster:sync was not granted')));
    for (const [dependency, scope] of [
      ['personas', 'mint'],
      ['locker-resolve', ''],
      ['platform', 'manage'],
    ] as const) {
      await own.deploy(dependency, [scope], BY_ADMIN);
      assert.deepEqual(await own.scopes(), BASIC_SCOPES, dependency);
    }
  });

  it('are published by the provider', async () => {
    const { body } = await idp.call('GET', '/.well-known/oauth-authorization-server');
    for (const scope of ['webmaster:read', ...GRANTED]) assert.ok(body.scopes_supported.includes(scope), scope);
  });

  it('are not had by reading, which a dependency without scopes gets', async () => {
    const service = portal('platform');
    await service.deploy('site-registry', []);
    assert.equal(await service.ask('GET', '/api/properties/here.com', 'webmaster:read'), 200);
    assert.equal(await service.ask('POST', '/api/properties/here.com/check-now', 'webmaster:read'), 403);
    assert.equal(await service.ask('POST', '/api/properties/sync-from-map', 'webmaster:read'), 403);
    assert.equal((await service.token('webmaster:read webmaster:sync')).body.error, 'invalid_scope');
  });

  it('are granted by a super admin and by nobody else, one by one, and a deploy keeps them and adds none', async () => {
    const service = portal('platform');
    await service.deploy('site-registry', ['read', 'sync']);
    const before = await service.scopes();
    const wanted = [...before, 'webmaster:sync'];
    const platformAdmin = await idp.seedUser('boss@platform.example', { org: 'platform', orgRoles: ['admin'] });
    const { builder, job, admin, member, reader, writer, impostor, unmarked, stranger } = callers;
    for (const who of [builder, job, admin, member, reader, writer, impostor, unmarked, stranger]) {
      assert.ok([401, 403].includes((await patch(service.clientId, wanted, who)).status));
    }
    const api = await startApi(null, createClientAdministration({ url: idp.address, internalKey: KEY }));
    try {
      for (const [who, expected] of [
        ['platform/admin', 403],
        ['platform/member', 403],
        ['acme/admin', 404],
      ] as const) {
        const path = `/oauth/clients/${service.clientId}`;
        const answer = await api.call('PATCH', path, { allowedScopes: wanted }, { 'x-test-user': who });
        assert.equal(answer.status, expected, `${who} ${answer.text}`);
      }
    } finally {
      await api.stop();
    }
    assert.deepEqual(await service.scopes(), before, `whoever asks, ${platformAdmin.email} included`);

    assert.equal((await patch(service.clientId, wanted, callers.root)).status, 200);
    assert.equal(await service.ask('POST', '/api/properties/here.com/check-now', 'webmaster:sync'), 200);
    assert.equal(
      await service.ask('GET', '/api/properties/here.com', 'webmaster:sync'),
      403,
      'each route checks its one',
    );
    await service.deploy('site-registry', ['read', 'sync', 'hooks', 'dns']);
    assert.deepEqual(await service.scopes(), wanted);
    for (const scope of ['webmaster:hooks', 'webmaster:dns']) {
      assert.equal((await service.token(scope)).body.error, 'invalid_scope');
    }
  });

  it('are no use to a service of another org, whoever grants them', async () => {
    const service = portal('acme');
    await service.deploy('site-registry', []);
    assert.equal((await patch(service.clientId, [...(await service.scopes()), ...GRANTED], callers.root)).status, 200);
    assert.equal(await service.ask('GET', '/api/properties/here.com', 'webmaster:read'), 403);
    assert.equal(await service.ask('POST', '/api/properties/here.com/check-now', 'webmaster:sync'), 403);
  });

  it('are gone within a second of being taken away, from tokens that are out as well', async () => {
    const service = portal('platform');
    await service.deploy('site-registry', []);
    const before = await service.scopes();
    await patch(service.clientId, [...before, 'webmaster:sync'], callers.root);
    const { body } = await service.token('webmaster:sync');
    const headers = { authorization: `Bearer ${body.access_token}` };
    const status = async () => (await site.call('POST', '/api/properties/here.com/check-now', {}, headers)).status;
    assert.equal(await status(), 200);
    await patch(service.clientId, before, callers.root);
    await waitUntil('the token is refused', async () => (await status()) === 401);
    assert.equal((await service.token('webmaster:sync')).body.error, 'invalid_scope');
  });

  it('are refused by the provider in what a deploy derives, also of a builder that would ask for them', async () => {
    const service = portal('platform');
    await service.deploy('site-registry', []);
    const [name = ''] = service.clientId.split('-prod');
    const wanted = { service: name, environment: 'prod', orgSlug: 'platform', redirectUris: [], grantTypes: [] };
    for (const scope of [...GRANTED, 'personas:mint', 'locker-resolve', 'platform:manage']) {
      const json = { ...wanted, scopes: [...BASIC_SCOPES, scope], create: false };
      const { status, body } = await idp.call('POST', '/api/internal/oauth-clients/provision', {
        json,
        headers: idp.internal,
      });
      assert.deepEqual([status, body.error?.code], [403, 'FORBIDDEN'], scope);
      assert.ok(!(await service.scopes()).includes(scope));
    }
  });
});
