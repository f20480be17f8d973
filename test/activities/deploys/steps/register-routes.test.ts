import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { registerRoutes } from '../../../../activities/deploys/steps/register-routes.ts';
import type { RouteDeclaration } from '../../../../domain/catalog/catalog.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { buildRecord, catalogRecord, releaseRecord } from '../../../ports/records.ts';
import { type Given, useDeploy } from '../use-deploy.ts';

const route = (path: string, charge: RouteDeclaration['charge'] = null): RouteDeclaration => ({
  ...{ path, methods: ['GET'], auth: null, gas: 0, charge, stripPrefix: null },
});
const ROUTES = [route('/free'), route('/paid', 'service')];

async function useRelease(given: Given = {}) {
  const deploy = await useDeploy({ opened: true, ...given });
  const { parts } = deploy;
  await parts.releases.put(releaseRecord({ id: 'rel_1', service: 'hello', serviceId: 'svc_hello', port: 4000 }));
  const registered = async () =>
    (await parts.serviceRegistry.stores.entries.find('svc_hello'))?.environments.prod?.registration;
  const facts = { releaseId: 'rel_1', catalog: catalogRecord({ port: 4000, routes: ROUTES }) };
  return { ...deploy, registered, facts };
}

describe('route-registration', () => {
  it('registers the declared port, the public address, and each route with who pays', async () => {
    const { parts, attempt, registered, facts, build } = await useRelease();
    const step = attempt(facts);
    assert.deepEqual(await registerRoutes(parts, step), {});
    const registration = await registered();
    assert.deepEqual(
      [registration?.port, registration?.url, registration?.routes, registration?.buildId],
      [4000, parts.edge.url('hello', 'prod'), ROUTES, build.buildId],
    );
    const entry = await parts.serviceRegistry.stores.entries.find('svc_hello');
    assert.deepEqual([entry?.name, entry?.org], ['hello', 'acme']);
    assert.deepEqual(step.warnings, []);
  });

  it('a second attempt changes nothing', async () => {
    const { parts, attempt, facts } = await useRelease();
    await registerRoutes(parts, attempt(facts));
    const first = await parts.serviceRegistry.stores.entries.find('svc_hello');
    parts.advance(60_000);
    await registerRoutes(parts, attempt(facts));
    assert.deepEqual(await parts.serviceRegistry.stores.entries.find('svc_hello'), first);
  });

  it('a rollback registers the routes that its release was built with', async () => {
    const { parts, attempt, registered, build } = await useRelease({
      build: { kind: 'rollback', releaseId: 'rel_1' },
    });
    const builtWith = catalogRecord({ routes: [route('/old')] });
    const { buildId } = releaseRecord({ id: 'rel_1' });
    await parts.builds.create(buildRecord({ id: buildId, service: 'hello', facts: { catalog: builtWith } }));
    await registerRoutes(parts, attempt({ releaseId: 'rel_1' }));
    const registration = await registered();
    assert.deepEqual([registration?.routes, registration?.buildId], [builtWith.routes, build.buildId]);
  });

  it('a rollback whose catalog is gone leaves the routes as they are, with a warning', async () => {
    const { parts, attempt, registered, facts } = await useRelease();
    await registerRoutes(parts, attempt(facts));
    const before = await registered();
    const rollback = { ...attempt({ releaseId: 'rel_1' }) };
    const build = { ...rollback.build, kind: 'rollback', releaseId: 'rel_1' } as const;
    await registerRoutes(parts, { ...rollback, build });
    assert.deepEqual(await registered(), before);
    assert.match(rollback.warnings.join(), /catalog of release rel_1 is not known/);
  });

  it('a build that was paused and goes on after a newer one registered is told CONFLICT, and changes nothing', async () => {
    const { parts, attempt, registered, facts } = await useRelease();
    const paused = attempt(facts);
    await parts.builds.giveEpoch(
      paused.build.buildId,
      await parts.epochs.next({ service: 'hello', environment: 'prod' }),
    );
    const newer = buildRecord({ id: 'bld_newer', service: 'hello' });
    await parts.builds.create(newer);
    const next = attempt({ ...facts, catalog: catalogRecord({ routes: [route('/new')] }) });
    await registerRoutes(parts, { ...next, build: { ...next.build, buildId: 'bld_newer' } });
    await assert.rejects(registerRoutes(parts, paused), { code: 'CONFLICT' });
    assert.deepEqual((await registered())?.routes, [route('/new')]);
  });

  it('a registry that is away, or that none is configured, is told as the system registry', async () => {
    const { parts, attempt, facts } = await useRelease();
    const away = new FairleadError('UNAVAILABLE', 'away', { system: 'registry', retryable: true });
    const serviceRegistry = { ...parts.serviceRegistry, register: () => Promise.reject(away) };
    await assert.rejects(registerRoutes({ ...parts, serviceRegistry }, attempt(facts)), (error) => error === away);
    const none = registerRoutes({ ...parts, serviceRegistry: null }, attempt(facts));
    await assert.rejects(none, { code: 'UNAVAILABLE', system: 'registry' });
  });
});
