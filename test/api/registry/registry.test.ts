import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startRegistry, type TestRegistry } from '../../support/start-registry.ts';

const NOON = '2026-05-04T12:00:00.000Z';
const LATER = '2026-05-04T13:00:00.000Z';
const HOSTED = { buildId: 'bld_1', releaseId: 'rel_1', commit: 'c0ffee', port: 4000, url: 'https://x.example' };
const registration = (routes: readonly object[], changes: object = {}) => ({
  ...{ epoch: 1, ...HOSTED, healthEndpoint: '/health', routes, modules: [] },
  ...changes,
});
const route = (path: string, charge: string | null) => ({
  ...{ path, methods: ['GET'], auth: null, gas: 3, charge, stripPrefix: null },
});
const notes = (serviceId: string, text: string, changes: object = {}) => ({
  ...{ serviceId, notes: text, deployedAt: NOON },
  ...changes,
});

describe('the service registry', () => {
  let registry: TestRegistry;
  before(async () => {
    registry = await startRegistry();
  });
  after(() => registry.stop());

  const declare = async (id: string, changes: object = {}) => {
    const body = { name: id.slice(4), org: 'acme', serviceSince: NOON, ...changes };
    const answer = await registry.call('PUT', `/v1/services/${id}`, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  const inEnvironment = (id: string, environment: string, rest: string) =>
    `/v1/services/${id}/environments/${environment}/${rest}`;
  const register = (id: string, body: object, environment = 'prod') =>
    registry.call('PUT', inEnvironment(id, environment, 'registration'), body);

  it('shows the gateway each route with who pays, and tells no declaration from the default', async () => {
    await declare('svc_priced');
    const routes = [route('/free', null), route('/paid', 'service'), route('/passed', 'callerOrg')];
    assert.equal((await register('svc_priced', registration(routes), 'uat')).status, 200);
    const { body } = await registry.call('GET', '/v1/routes?environment=uat');
    const [service] = body.data.items;
    assert.deepEqual(
      [service.service, service.namespace, service.port, service.routes],
      ['priced', 'priced-uat', 4000, routes],
    );
    const charges = service.routes.map(({ charge }: { charge: string | null }) => charge);
    assert.deepEqual(charges, [null, 'service', 'callerOrg']);
  });

  it('answers 304 until a route changes, also for a weak tag and for a list of tags', async () => {
    await declare('svc_polled');
    await register('svc_polled', registration([route('/a', null)]), 'sandbox');
    const poll = (tag?: string) =>
      registry.call(
        'GET',
        '/v1/routes?environment=sandbox',
        undefined,
        tag === undefined ? {} : { 'if-none-match': tag },
      );
    const first = await poll();
    const tag = first.headers.get('etag') ?? '';
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await poll(known);
      assert.deepEqual([answer.status, answer.text, answer.headers.get('etag')], [304, '', tag], known);
    }
    // The same again, of a later deploy, is no change.
    await register('svc_polled', registration([route('/a', null)], { epoch: 2 }), 'sandbox');
    assert.equal((await poll(tag)).status, 304);
    await register('svc_polled', registration([route('/a', 'service')], { epoch: 3 }), 'sandbox');
    const changed = await poll(tag);
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.get('etag'), tag);
    await registry.call('DELETE', '/v1/services/svc_polled');
    assert.equal((await poll(changed.headers.get('etag') ?? '')).status, 200);
  });

  it('the builder alone writes: another service of the platform is refused, and nothing is written', async () => {
    await declare('svc_guarded');
    const as = (client: string) => ({ 'x-test-caller': `platform-service/${client}` });
    const writes: readonly [string, string, object?][] = [
      ['PUT', '/v1/services/svc_guarded', { name: 'guarded', org: 'rival', serviceSince: NOON }],
      ['PUT', inEnvironment('svc_guarded', 'prod', 'namespace'), {}],
      ['PUT', inEnvironment('svc_guarded', 'prod', 'registration'), registration([])],
      [
        'PUT',
        inEnvironment('svc_guarded', 'prod', 'bindings/queue/mail'),
        { epoch: 1, port: 1, path: '/', cron: null },
      ],
      ['DELETE', `${inEnvironment('svc_guarded', 'prod', 'bindings/queue/mail')}?epoch=1`],
      ['POST', '/api/plugins/guarded/changelog', notes('svc_guarded', 'x')],
      ['PATCH', '/api/plugins/guarded/changelog', { serviceId: 'svc_guarded', walkthroughUrl: 'https://x.example' }],
      ['DELETE', '/v1/services/svc_guarded'],
    ];
    const before = await registry.entries.find('svc_guarded');
    for (const [method, path, body] of writes) {
      const refused = await registry.call(method, path, body, as('wallet'));
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN'], `${method} ${path}`);
    }
    assert.deepEqual(await registry.entries.find('svc_guarded'), before);
    const [method, path, body] = writes[1] ?? ['', ''];
    assert.equal((await registry.call(method, path, body, as('builder'))).status, 200);
  });

  it('a service that takes a name inherits nothing, and late writes of the one before do not reach it', async () => {
    await declare('svc_before', { name: 'taken' });
    await register('svc_before', registration([route('/old', null)]));
    await registry.call('POST', '/api/plugins/taken/changelog', notes('svc_before', '- of acme'));
    await declare('svc_after', { name: 'taken', org: 'rival', serviceSince: LATER });
    assert.equal((await registry.call('GET', '/api/plugins/taken/changelog')).status, 404);
    const late = await registry.call('POST', '/api/plugins/taken/changelog', notes('svc_before', '- late'));
    assert.equal(late.status, 200);
    assert.equal((await registry.call('GET', '/api/plugins/taken/changelog')).status, 404);
    const asBefore = { 'x-test-caller': 'user/acme/admin' };
    assert.equal((await registry.call('GET', '/api/plugins/taken', undefined, asBefore)).status, 404);
    assert.equal((await registry.call('GET', '/v1/services/svc_after', undefined, asBefore)).status, 404);
    const now = { 'x-test-caller': 'service/rival' };
    assert.equal((await registry.call('GET', '/api/plugins/taken', undefined, now)).body.data.serviceId, 'svc_after');
    const stolen = await registry.call('POST', '/api/plugins/other/changelog', notes('svc_after', '- x'));
    assert.equal(stolen.body.error.code, 'SERVICE_NOT_FOUND');
  });

  it('lists of an org hold its own alone', async () => {
    await declare('svc_mine', { org: 'lists' });
    await registry.call('PUT', inEnvironment('svc_mine', 'prod', 'namespace'), {});
    for (const path of ['/v1/services', '/v1/namespaces', '/api/plugins']) {
      for (const caller of ['user/lists/viewer', 'service/lists']) {
        const { body } = await registry.call('GET', path, undefined, { 'x-test-caller': caller });
        assert.deepEqual(
          body.data.items.map(({ serviceId }: { serviceId: string }) => serviceId),
          ['svc_mine'],
          `${path} ${caller}`,
        );
      }
    }
  });

  it('two builders at once lose no write of each other', async () => {
    await declare('svc_busy');
    const names = Array.from({ length: 12 }, (_, index) => `queue-${String(index).padStart(2, '0')}`);
    const answers = await Promise.all(
      names.map((name, index) => {
        const path = inEnvironment('svc_busy', index % 2 === 0 ? 'prod' : 'uat', `bindings/queue/${name}`);
        return registry.call('PUT', path, { epoch: 1, port: 4000, path: `/${name}`, cron: null });
      }),
    );
    const failed = answers.filter(({ status }) => status !== 200);
    assert.ok(failed.every(({ status }) => status === 409));
    const entry = await registry.entries.find('svc_busy');
    const kept = Object.values(entry?.environments ?? {}).flatMap(({ bindings }) => bindings.map(({ name }) => name));
    assert.deepEqual(
      kept.toSorted(),
      names.filter((_, index) => answers[index]?.status === 200),
    );
  });

  it('a deploy that a newer one has followed writes nothing any more', async () => {
    await declare('svc_epochs');
    await register('svc_epochs', registration([route('/new', null)], { epoch: 5 }));
    const late = await register('svc_epochs', registration([route('/old', null)], { epoch: 4 }));
    assert.deepEqual([late.status, late.body.error.code], [409, 'CONFLICT']);
    const { body } = await registry.call('GET', '/v1/services/svc_epochs');
    assert.equal(body.data.environments[0].registration.routes[0].path, '/new');
  });

  it('removes all of a service, twice as once, and refuses a late write to it', async () => {
    await declare('svc_gone');
    for (const environment of ['prod', 'sandbox', 'uat', 'dev']) {
      const path = inEnvironment('svc_gone', environment, 'bindings/queue/mail');
      const bound = await registry.call('PUT', path, { epoch: 1, port: 4000, path: '/mail', cron: null });
      assert.equal(bound.status, 200, environment);
    }
    await register('svc_gone', registration([]));
    const manifest = { commit: 'c0ffee', sdkVersions: {}, deployedBy: 'usr_ada' };
    await registry.call('PUT', inEnvironment('svc_gone', 'prod', 'deploys/bld_gone/manifest'), manifest);
    await registry.call('POST', '/api/plugins/gone/changelog', notes('svc_gone', '- x'));
    for (const time of ['first', 'second']) {
      assert.equal((await registry.call('DELETE', '/v1/services/svc_gone')).status, 200, time);
    }
    assert.equal((await registry.call('GET', '/v1/services/svc_gone')).status, 404);
    assert.equal((await registry.call('GET', '/api/plugins/gone/changelog')).status, 404);
    const late = [
      await register('svc_gone', registration([], { epoch: 9 })),
      await registry.call('PUT', inEnvironment('svc_gone', 'prod', 'deploys/bld_late/manifest'), manifest),
      await registry.call('PUT', '/v1/services/svc_gone', { name: 'gone', org: 'acme', serviceSince: LATER }),
    ];
    assert.deepEqual(
      late.map(({ body }) => body.error.code),
      late.map(() => 'SERVICE_NOT_FOUND'),
    );
    const left = await registry.deploys.list(
      { serviceId: 'svc_gone', environment: 'prod' },
      { cursor: null, limit: 5 },
    );
    assert.deepEqual(left.items, []);
  });

  it('refuses a late write to a service that was removed before the registry heard of it', async () => {
    assert.equal((await registry.call('DELETE', '/v1/services/svc_unheard')).status, 200);
    const late = await registry.call('PUT', '/v1/services/svc_unheard', {
      ...{ name: 'unheard', org: 'acme', serviceSince: LATER },
    });
    assert.deepEqual([late.status, late.body.error?.code], [404, 'SERVICE_NOT_FOUND']);
    assert.equal((await registry.call('GET', '/api/plugins/unheard')).status, 404);
    const { body } = await registry.call('GET', '/v1/services?limit=200');
    assert.ok(!body.data.items.some(({ serviceId }: { serviceId: string }) => serviceId === 'svc_unheard'));
  });

  it('a removal that was killed between its two writes is finished by the next one', async () => {
    await declare('svc_killed');
    const manifest = { commit: 'c0ffee', sdkVersions: {}, deployedBy: 'usr_ada' };
    await registry.call('PUT', inEnvironment('svc_killed', 'prod', 'deploys/bld_killed/manifest'), manifest);
    const died = new Error('killed');
    const removeService = async (): Promise<void> => {
      throw died;
    };
    const { entries, deploys, packages } = registry;
    const dying = await startRegistry({ stores: { entries, packages, deploys: { ...deploys, removeService } } });
    try {
      assert.equal((await dying.call('DELETE', '/v1/services/svc_killed')).status, 500);
    } finally {
      await dying.stop();
    }
    assert.equal((await registry.call('GET', inEnvironment('svc_killed', 'prod', 'deploys'))).status, 404);
    assert.equal((await registry.call('DELETE', '/v1/services/svc_killed')).status, 200);
    const target = { serviceId: 'svc_killed', environment: 'prod' } as const;
    assert.equal(await registry.deploys.lastManifest(target), null);
  });

  it('a manifest must carry commit, sdkVersions and deployedBy; a snapshot takes names of secrets alone', async () => {
    await declare('svc_bodies');
    const manifest = { commit: 'c0ffee', sdkVersions: { '@fairlead/sdk': '1.2.0' }, deployedBy: 'usr_ada' };
    const put = (rest: string, body: object) => registry.call('PUT', inEnvironment('svc_bodies', 'prod', rest), body);
    for (const field of ['commit', 'sdkVersions', 'deployedBy'] as const) {
      const { [field]: _, ...rest } = manifest;
      assert.equal((await put('deploys/bld_b/manifest', rest)).status, 400, field);
    }
    assert.equal((await put('deploys/bld_b/manifest', manifest)).status, 200);
    const { body } = await registry.call('GET', inEnvironment('svc_bodies', 'prod', 'manifest'));
    assert.deepEqual([body.data.buildId, body.data.manifest], ['bld_b', manifest]);
    const snapshot = {
      ...{ releaseId: 'rel_1', commit: null, imageDigest: 'r@sha256:1', port: 1, podTier: 'nano', healthEndpoint: '/' },
      ...{ config: [], secrets: ['API_KEY'] },
    };
    assert.equal((await put('deploys/bld_b/snapshot', { ...snapshot, secrets: { API_KEY: 'v' } })).status, 400);
    assert.equal((await put('deploys/bld_b/snapshot', { ...snapshot, secrets: ['API_KEY=value'] })).status, 400);
    assert.equal((await put('deploys/bld_b/snapshot', snapshot)).status, 200);
  });

  it('bindings come in pages that miss and repeat nothing; a cursor that was not given out is refused', async () => {
    await declare('svc_paged');
    const path = inEnvironment('svc_paged', 'prod', 'bindings');
    for (const name of ['c', 'a', 'b']) {
      await registry.call('PUT', `${path}/queue/${name}`, { epoch: 1, port: 1, path: '/', cron: null });
    }
    const first = await registry.call('GET', `${path}?limit=2`);
    const next = encodeURIComponent(first.body.data.nextCursor);
    const second = await registry.call('GET', `${path}?limit=2&cursor=${next}`);
    const names = [first, second].map(({ body }) => body.data.items.map(({ name }: { name: string }) => name));
    assert.deepEqual([names, second.body.data.nextCursor], [[['a', 'b'], ['c']], null]);
    assert.equal((await registry.call('GET', `${path}?cursor=%21%21`)).status, 400);
  });

  it('a changelog is public and whole; PATCH changes its walkthrough alone', async () => {
    await declare('svc_news');
    const path = '/api/plugins/news/changelog';
    const link = { serviceId: 'svc_news', walkthroughUrl: 'https://news.example/tour' };
    assert.equal((await registry.call('PATCH', path, link)).status, 404);
    await registry.call('POST', path, notes('svc_news', '- one', { version: '1.0.0', commit: 'c0ffee' }));
    await registry.call('PATCH', path, link);
    const { body } = await registry.call('GET', path, undefined, { 'x-test-caller': 'nobody' });
    const { walkthroughUpdatedAt, ...rest } = body.data;
    assert.deepEqual(rest, {
      ...{ service: 'news', notes: '- one', version: '1.0.0', commit: 'c0ffee', deployedAt: NOON },
      walkthroughUrl: link.walkthroughUrl,
    });
    assert.ok(Number.isFinite(Date.parse(walkthroughUpdatedAt)));
  });

  it('finds the changelog of a package by package and version, as published first', async () => {
    const path = `/v1/package-changelogs/${encodeURIComponent('@fairlead/sdk@1.2.0')}`;
    assert.equal((await registry.call('GET', path)).status, 404);
    assert.equal((await registry.call('PUT', path, { notes: 'New: sockets' })).status, 200);
    assert.equal((await registry.call('PUT', path, { notes: 'Nothing' })).status, 409);
    const { body } = await registry.call('GET', path);
    assert.deepEqual(
      [body.data.package, body.data.version, body.data.notes],
      ['@fairlead/sdk', '1.2.0', 'New: sockets'],
    );
    for (const bad of ['sdk', 'sdk@', '@1.0.0', 'sdk@latest', '../x@1.0.0']) {
      const answer = await registry.call('GET', `/v1/package-changelogs/${encodeURIComponent(bad)}`);
      assert.equal(answer.status, 400, bad);
    }
  });
});
