import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { KEY, startRegistry, type TestRegistry } from '../support/start-registry.ts';
import { runCli } from './run-cli.ts';

/** Nothing listens there: the commands of the registry need no builder. */
const API = { url: 'http://127.0.0.1:1' };
const AT = '2026-01-02T03:04:00.000Z';
const ROUTES = [
  { path: '/orders', methods: ['GET', 'POST'], auth: 'required', gas: 5, charge: 'callerOrg', stripPrefix: null },
  { path: '/open', methods: [], auth: null, gas: 0, charge: null, stripPrefix: null },
];

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
      ...{ epoch: 1, buildId: 'bld_1', releaseId: 'rel_1', commit: null, port: 3000, modules: [] },
      ...{ url: 'http://shop.example', healthEndpoint: '/health', routes: ROUTES },
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
  const json = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout).data;
  };

  it('services: those that are registered and where, names alone with --quiet, the reply with --json', async () => {
    const { code, stdout } = await run();
    assert.equal(code, 0);
    assert.match(stdout, /bare +acme +prod +no .*\nshop +acme +prod +yes /);
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

  it('without an address of the registry, says by which variable to name it', async () => {
    const { code, stderr } = await runCli(API, ['registry'], { env: { FAIRLEAD_KEY: KEY } });
    assert.equal(code, 5);
    assert.match(stderr, /NO_REGISTRY[\s\S]*FAIRLEAD_REGISTRY_URL/);
  });
});
