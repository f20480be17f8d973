import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { KEY, startRegistry, type TestRegistry } from '../support/start-registry.ts';
import { runCli } from './run-cli.ts';

/** Nothing listens there: the commands of the registry need no builder. */
const API = { url: 'http://127.0.0.1:1' };
const AT = '2026-01-02T03:04:00.000Z';
const MODULES = [
  { name: 'orders', title: 'Orders \u202eand more' },
  { name: 'stock', title: null },
];
const ROUTES = [
  { path: '/orders', methods: ['GET', 'POST'], auth: 'required', gas: 5, charge: 'callerOrg', stripPrefix: null },
  { path: '/open', methods: [], auth: null, gas: 0, charge: null, stripPrefix: null },
];

/** Asked by who keeps the service running, not by its users. */
const HEALTH = new Set(['GET /health', 'GET /health/live']);

/** The commands on a real registry. */
describe('fairlead registry', () => {
  let registry: TestRegistry;
  before(async () => {
    registry = await startRegistry();
    const write = async (method: string, path: string, body: object) => {
      const { status, text } = await registry.call(method, path, body);
      assert.ok(status < 300, `${method} ${path}: ${text}`);
    };
    for (const [id, name, org] of [
      ['svc_1', 'shop', 'acme'],
      ['svc_2', 'bare', 'acme'],
    ] as const) {
      await write('PUT', `/v1/services/${id}`, { name, org, serviceSince: AT });
      await write('PUT', `/v1/services/${id}/environments/prod/namespace`, {});
    }
    await write('PUT', '/v1/services/svc_1/environments/prod/registration', {
      ...{ epoch: 1, buildId: 'bld_1', releaseId: 'rel_1', commit: null, port: 3000, modules: MODULES },
      ...{ url: 'http://shop.example', healthEndpoint: '/health', routes: ROUTES },
    });
    const uat = '/v1/services/svc_1/environments/uat';
    await write('PUT', `${uat}/bindings/queue/mails`, { epoch: 1, port: 3000, path: '/queues/mails', cron: null });
    await write('PUT', `${uat}/bindings/schedule/nightly`, {
      epoch: 1,
      port: 3000,
      path: '/nightly',
      cron: '0 2 * * *',
    });
    const commit = 'c0ffee0123456789c0ffee0123456789c0ffee01';
    const manifest = { commit, sdkVersions: { '@fairlead/sdk': '1.1.0' }, deployedBy: 'usr_ada' };
    await write('PUT', `${uat}/deploys/bld_7/manifest`, manifest);
    await write('PUT', `${uat}/deploys/bld_8/snapshot`, {
      ...{ releaseId: 'rel_8', commit, imageDigest: 'hello@sha256:1', port: 3000, podTier: 'nano' },
      ...{ healthEndpoint: '/health', config: [], secrets: ['API_KEY'] },
    });
    const notes = '## 1.2.0\n\n\u001b[2J- Orders \u202eare faster.\n';
    await write('POST', '/api/plugins/shop/changelog', { serviceId: 'svc_1', notes, version: '1.2.0', deployedAt: AT });
    for (const version of ['1.0.0', '1.1.0']) {
      const entry = encodeURIComponent(`@fairlead/sdk@${version}`);
      await write('PUT', `/v1/package-changelogs/${entry}`, { notes: `Changes of ${version}\nand more` });
    }
  });
  after(() => registry.stop());

  const run = (...args: readonly string[]) =>
    runCli(API, ['registry', ...args], { env: { FAIRLEAD_KEY: KEY, FAIRLEAD_REGISTRY_URL: registry.address } });
  const feed = (args: readonly string[], stdin: string) =>
    runCli(API, ['registry', ...args], {
      stdin,
      env: { FAIRLEAD_KEY: KEY, FAIRLEAD_REGISTRY_URL: registry.address },
    });
  const json = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout).data;
  };

  it('services: those that are registered and where, names alone with --quiet, the reply with --json', async () => {
    const { code, stdout } = await run();
    assert.equal(code, 0);
    assert.match(stdout, /bare +acme +prod +no .*\nshop +acme +prod, uat +yes /);
    assert.equal((await run('services', '--quiet')).stdout, 'bare\nshop\n');
    const page = await json('services', '--limit', '1');
    assert.deepEqual([page.items[0].service, page.items.length, typeof page.nextCursor], ['bare', 1, 'string']);
    assert.match((await run('services', '-n', '1')).stderr, /more than 1/);
  });

  it('routes: methods, path, what a call costs and who pays, of the environment', async () => {
    const { code, stdout } = await run('routes', 'shop');
    assert.equal(code, 0);
    assert.match(stdout, /GET POST +\/orders +required +5 +callerOrg\n/);
    assert.match(stdout, /all +\/open +free +undeclared\n/);
    const document = await json('routes', 'shop');
    assert.deepEqual([document.environment, document.routes], ['prod', ROUTES]);
    const none = await run('routes', 'bare', '--env', 'uat');
    assert.deepEqual([none.code, none.stdout], [3, '']);
    assert.match(none.stderr, /bare is not registered in uat[\s\S]*fairlead deploy --env uat/);
    assert.equal((await run('routes', 'nobody')).code, 3);
  });

  it('changelog: the notes without what a terminal would obey, with version and time', async () => {
    const { code, stdout } = await run('changelog', 'shop');
    assert.equal(code, 0);
    assert.match(stdout, /Version +1\.2\.0\n[\s\S]*\n## 1\.2\.0\n\n- Orders are faster\.\n$/);
    assert.equal((await run('changelog', 'shop', '--quiet')).stdout, '## 1.2.0\n\n- Orders are faster.\n');
    assert.equal((await json('changelog', 'shop')).service, 'shop');
    assert.equal((await run('changelog', 'bare')).code, 3);
  });

  it('packages: all, those of a package, or the notes of one version', async () => {
    assert.match(
      (await run('packages')).stdout,
      /@fairlead\/sdk +1\.0\.0 .* Changes of 1\.0\.0\n@fairlead\/sdk +1\.1\.0 /,
    );
    assert.equal((await run('packages', '@fairlead/sdk', '-q')).stdout, '@fairlead/sdk@1.0.0\n@fairlead/sdk@1.1.0\n');
    assert.equal((await run('packages', '@fairlead/sdk@1.1.0')).stdout, 'Changes of 1.1.0\nand more\n');
    assert.equal((await json('packages', '@fairlead/sdk@1.1.0')).version, '1.1.0');
    assert.equal((await run('packages', '@fairlead/sdk@9.9.9')).code, 3);
    assert.match((await run('packages', 'other')).stdout, /No changelog/);
    assert.equal((await run('packages', 'No Package')).code, 2);
  });

  it('namespaces: each environment of each service that was deployed there', async () => {
    const { code, stdout } = await run('namespaces');
    assert.equal(code, 0);
    assert.match(stdout, /bare-prod +bare +prod +acme .*\nshop-prod +shop +prod +acme /);
    assert.match((await run('namespaces', '--quiet')).stdout, /^bare-prod\nshop-/);
    assert.equal((await json('namespaces')).items[0].namespace, 'bare-prod');
  });

  it('modules: those of the release that serves, with titles that hide nothing', async () => {
    const { code, stdout } = await run('modules', 'shop');
    assert.equal(code, 0);
    assert.match(stdout, /orders +Orders and more\nstock/);
    assert.equal((await run('modules', 'shop', '-q')).stdout, 'orders\nstock\n');
    assert.equal((await json('modules', 'shop')).modules.length, 2);
    const none = await run('modules', 'shop', '--env', 'sandbox');
    assert.equal(none.code, 3);
    assert.match(none.stderr, /shop is not registered in sandbox/);
  });

  it('bindings: queues and schedules of the environment, over as many pages as it takes', async () => {
    const { code, stdout } = await run('bindings', 'shop', '--env', 'uat');
    assert.equal(code, 0);
    assert.match(stdout, /queue +mails +\/queues\/mails +3000 *\nschedule +nightly +\/nightly +3000 +0 2 \* \* \*\n/);
    assert.equal((await run('bindings', 'shop', '--env', 'uat', '-q')).stdout, 'mails\nnightly\n');
    assert.match((await run('bindings', 'shop', '--env', 'uat', '-n', '1')).stderr, /more than 1/);
    assert.match((await run('bindings', 'shop')).stdout, /Nothing is bound to shop in prod/);
    assert.equal((await run('bindings', 'nobody')).code, 3);
  });

  it('deploys: newest first, with what was installed and by whom', async () => {
    const { code, stdout } = await run('deploys', 'shop', '--env', 'uat');
    assert.equal(code, 0);
    assert.match(stdout, /bld_8 +c0ffee0 +rel_8 +nano .*\nbld_7 +c0ffee0 +@fairlead\/sdk@1\.1\.0 +usr_ada /);
    assert.equal((await run('deploys', 'shop', '--env', 'uat', '-q')).stdout, 'bld_8\nbld_7\n');
    assert.deepEqual((await json('deploys', 'shop', '--env', 'uat')).items[0].snapshot.secrets, ['API_KEY']);
    assert.match((await run('deploys', 'bare')).stdout, /no deploy of bare to prod/);
  });

  it('publish: the notes from stdin, once; what was published stays', async () => {
    const publish = (stdin: string, entry = '@acme/lib@1.2.0') => feed(['publish', entry], stdin);
    const { code, stdout } = await publish('- verify() takes a list\n');
    assert.deepEqual(
      [code, stdout.split('\n')[0]],
      [0, 'Published the changelog of @acme/lib@1.2.0. Services may upgrade to it.'],
    );
    assert.equal((await run('packages', '@acme/lib@1.2.0')).stdout, '- verify() takes a list\n');
    const again = await publish('- something else');
    assert.equal(again.code, 6, again.stderr);
    assert.match(again.stderr, /CONFLICT/);
    assert.equal((await run('packages', '@acme/lib@1.2.0')).stdout, '- verify() takes a list\n');
  });

  it('publish: refuses what has no notes, no version, or what is no version', async () => {
    for (const [entry, stdin, words] of [
      ['@acme/lib@1.3.0', ' \n', /no notes on stdin[\s\S]*< notes\.md/],
      ['@acme/lib', '- new', /@acme\/lib names no version/],
      ['@acme/lib@new', '- new', /a version such as 1\.2\.0/],
    ] as const) {
      const { code, stderr } = await feed(['publish', entry], stdin);
      assert.equal(code, 2, stderr);
      assert.match(stderr, words);
    }
    assert.equal((await run('packages', '@acme/lib@1.3.0')).code, 3);
  });

  /** Routes that the commands do not call, each with its reason. */
  const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
    'GET /v1/services': '`services` lists the plugin records, which say the same in short',
    'GET /v1/routes': 'for the gateway, of all orgs; `routes` shows those of one service by its entry',
    'GET /v1/modules': 'for the platform, of all orgs; `modules` shows those of one service by its entry',
    'GET /v1/services/{serviceId}/environments/{environment}/manifest': '`deploys` shows the manifest of each deploy',
    'PUT /v1/services/{serviceId}': 'the builder alone writes',
    'DELETE /v1/services/{serviceId}': 'the builder alone writes: `fairlead services delete`',
    'PUT /v1/services/{serviceId}/environments/{environment}/namespace': 'the builder alone writes',
    'PUT /v1/services/{serviceId}/environments/{environment}/registration': 'the builder alone writes',
    'PUT /v1/services/{serviceId}/environments/{environment}/modules': 'the builder alone writes',
    'PUT /v1/services/{serviceId}/environments/{environment}/metadata': 'the builder alone writes',
    'PUT /v1/services/{serviceId}/environments/{environment}/bindings/{kind}/{name}': 'the builder alone writes',
    'DELETE /v1/services/{serviceId}/environments/{environment}/bindings/{kind}/{name}': 'the builder alone writes',
    'PUT /v1/services/{serviceId}/environments/{environment}/deploys/{buildId}/manifest': 'the builder alone writes',
    'PUT /v1/services/{serviceId}/environments/{environment}/deploys/{buildId}/snapshot': 'the builder alone writes',
    'POST /api/plugins/{service}/changelog': 'the builder alone writes',
    'PATCH /api/plugins/{service}/changelog': 'the builder alone writes',
  };

  it('every route of the registry is called by a command, or stands on the list with its reason', async (t) => {
    const called = t.mock.method(globalThis, 'fetch');
    for (const command of [
      ...['services', 'namespaces', 'packages', 'packages @fairlead/sdk@1.0.0', 'routes shop', 'modules shop'],
      ...['bindings shop', 'deploys shop', 'changelog shop'],
    ]) {
      assert.equal((await run(...command.split(' '))).code, 0, command);
    }
    assert.equal((await feed(['publish', 'plain@1.0.0'], '- new')).code, 0);
    const asked = called.mock.calls.map(({ arguments: [url, init] }) => {
      return `${init?.method} ${new URL(String(url)).pathname}`;
    });
    const { paths } = (await registry.call('GET', '/openapi.json')).body;
    const routes = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const without = routes.filter((route) => {
      const pattern = new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      return !HEALTH.has(route) && !asked.some((one) => pattern.test(one));
    });
    assert.deepEqual(without.toSorted(), Object.keys(WITHOUT_COMMAND).toSorted());
  });

  it('without an address of the registry, says by which variable to name it', async () => {
    const { code, stderr } = await runCli(API, ['registry'], { env: { FAIRLEAD_KEY: KEY } });
    assert.equal(code, 5);
    assert.match(stderr, /NO_REGISTRY[\s\S]*FAIRLEAD_REGISTRY_URL/);
  });
});
