import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveDependencies } from '../../../../activities/deploys/steps/resolve-dependencies.ts';
import type { Environment } from '../../../../domain/environment.ts';
import { NO_PASSPORT } from '../../../../domain/passport-config.ts';
import { catalogRecord, releaseRecord } from '../../../ports/records.ts';
import type { InMemoryDeploys } from '../../../support/in-memory/deploys-deps.ts';
import { type Given, useDeploy } from '../use-deploy.ts';

/** Registers a service, and has a release of it serve in the environments. */
async function deployed(parts: InMemoryDeploys, name: string, environments: readonly Environment[], org = 'acme') {
  const id = `svc_${name}`;
  await parts.services.upsert({ id, name, org }, {});
  for (const environment of environments) {
    const release = releaseRecord({ id: `rel_${name}-${environment}`, serviceId: id, service: name, environment });
    await parts.releases.put(release);
    await parts.releases.activate(release.id, { at: new Date(), epoch: 1, buildId: 'bld_1' });
  }
}

/** A deploy of `hello` to prod that declares dependencies. */
async function declaring(names: readonly string[], { settings, ...given }: Given = {}) {
  const deploy = await useDeploy({ ...given, settings: { hasPlatformProxy: true, ...settings } });
  const dependencies = names.map((service) => ({ service, scopes: [] }));
  const facts = { catalog: catalogRecord({ dependencies }), port: 3000 };
  return { ...deploy, step: () => deploy.attempt(facts) };
}

const SHOP = { service: 'shop', serviceId: 'svc_shop', url: 'http://shop.prod.internal:7600', variable: 'SHOP_URL' };

describe('dependencies', () => {
  it('of the own org and of others are found where they are deployed in the environment of the build', async () => {
    const { parts, step } = await declaring(['shop', 'mailer-api']);
    await deployed(parts, 'shop', ['prod', 'uat']);
    await deployed(parts, 'mailer-api', ['prod'], 'globex');
    const context = step();
    const mailer = {
      ...{ service: 'mailer-api', serviceId: 'svc_mailer-api', url: 'http://mailer-api.prod.internal:7600' },
      variable: 'MAILER_API_URL',
    };
    assert.deepEqual(await resolveDependencies(parts, context), { dependencies: [SHOP, mailer] });
    assert.deepEqual(context.warnings, []);
    assert.deepEqual(context.lines, [`SHOP_URL is ${SHOP.url}`, `MAILER_API_URL is ${mailer.url}`]);
  });

  it('that are not there, not there yet, or elsewhere are a warning with the remedy, the same for each', async () => {
    const { parts, step } = await declaring(['nobody', 'new', 'elsewhere', 'shop']);
    await deployed(parts, 'new', []);
    await deployed(parts, 'elsewhere', ['uat', 'sandbox']);
    await deployed(parts, 'shop', ['prod']);
    const context = step();
    assert.deepEqual(await resolveDependencies(parts, context), { dependencies: [SHOP] });
    assert.deepEqual(
      context.warnings,
      ['nobody', 'new', 'elsewhere'].map(
        (name) =>
          `${name.toUpperCase()}_URL is not given: no service ${name} is deployed in prod. Deploy it there, then deploy this service again.`,
      ),
    );
  });

  it('have the names of services of the platform: those of another org are not taken for them, own ones are', async () => {
    const { parts, step } = await declaring(['site-registry', 'wallet']);
    await deployed(parts, 'site-registry', ['prod'], 'globex');
    await deployed(parts, 'wallet', ['prod']);
    const context = step();
    const { dependencies } = await resolveDependencies(parts, context);
    assert.deepEqual(
      dependencies?.map(({ service }) => service),
      ['wallet'],
    );
    assert.ok(![...context.lines, ...context.warnings].join().includes('site-registry.prod.internal'));
  });

  describe('that are services of the platform', () => {
    const url = 'http://localhost:3006';
    const auth = { mode: 'service-only', passport: NO_PASSPORT } as const;
    /** What a deploy says that declares one, with no address of its own in any case. */
    async function saidOf(
      service: string,
      { scopes = [], settings = {}, ...given }: { scopes?: string[]; settings?: Given['settings']; auth?: null } = {},
    ) {
      const platformUrls = { SITE_REGISTRY_URL: url, AUDIT_URL: 'http://localhost:3005' };
      const { parts, attempt } = await useDeploy({ settings: { hasPlatformProxy: true, platformUrls, ...settings } });
      const catalog = catalogRecord({ auth, dependencies: [{ service, scopes }], ...given });
      const context = attempt({ catalog, port: 3000 });
      assert.deepEqual(await resolveDependencies(parts, context), { dependencies: [] });
      assert.doesNotMatch(context.warnings.join(), /Deploy it/);
      return { lines: context.lines, warnings: context.warnings };
    }

    it('are told by the variable that every workload has, whichever word names them', async () => {
      for (const name of ['site-registry', 'webmaster']) {
        const lines = [`SITE_REGISTRY_URL is ${url}, of a service of the platform`];
        assert.deepEqual(await saidOf(name), { lines, warnings: [] }, name);
      }
    });

    it('are told where containers do not reach them, with the remedy where there is one', async () => {
      for (const [service, given, warning] of [
        [
          'builder',
          {},
          /^BUILDER_URL is not given: builder is a service of the platform, which containers do not reach/,
        ],
        ['locker-resolve', {}, /^LOCKER_URL is not given: locker is a service of the platform/],
        ['site-registry', { settings: { platformUrls: {} } }, /names no address of its site-registry/],
        ['site-registry', { settings: { hasPlatformProxy: false } }, /in a container is the container itself/],
        ['site-registry', { auth: null }, /takes tokens alone: declare spec\.auth/],
        ['audit-ledger', {}, /^audit-ledger need not be in spec\.dependencies: every service is given AUDIT_URL/],
      ] as const) {
        const { lines, warnings } = await saidOf(service, given);
        assert.deepEqual([lines, warnings.length], [[], 1]);
        assert.match(warnings.join(), warning);
      }
    });

    it('are those of an org where it has a service of that name', async () => {
      const { parts, step } = await declaring(['site-registry']);
      await deployed(parts, 'site-registry', ['prod']);
      const context = step();
      const { dependencies } = await resolveDependencies(parts, context);
      assert.deepEqual(
        dependencies?.map(({ serviceId, variable }) => [serviceId, variable]),
        [['svc_site-registry', null]],
      );
      assert.match(context.warnings.join(), /SITE_REGISTRY_URL is a variable of the platform/);
    });
  });

  it('are given no more once they are being removed', async () => {
    const { parts, step } = await declaring(['shop']);
    await deployed(parts, 'shop', ['prod']);
    await parts.services.setRemoving('svc_shop', true);
    assert.deepEqual(await resolveDependencies(parts, step()), { dependencies: [] });
  });

  it('have no variable under a name of the platform, and a warning names the address and a variable to set', async () => {
    const { parts, step } = await declaring(['redis']);
    await deployed(parts, 'redis', ['prod']);
    const context = step();
    const url = 'http://redis.prod.internal:7600';
    const expected = { dependencies: [{ service: 'redis', serviceId: 'svc_redis', url, variable: null }] };
    assert.deepEqual(await resolveDependencies(parts, context), expected);
    assert.match(context.warnings.join(), /REDIS_URL is a variable of the platform/);
    assert.match(context.warnings.join(), /fairlead config set REDIS_SERVICE_URL=http:\/\/redis\.prod\.internal:7600/);
  });

  it('whose variable a person set are said to keep that value', async () => {
    const { parts, step } = await declaring(['shop'], { service: { config: { SHOP_URL: 'https://shop.example' } } });
    await deployed(parts, 'shop', ['prod']);
    const context = step();
    await resolveDependencies(parts, context);
    assert.deepEqual(context.lines, [`SHOP_URL stays as it was set with fairlead config; shop answers at ${SHOP.url}`]);
  });

  it('have the address that the runtime has for them, where it has one', async () => {
    const innerUrl = ({ service, environment }: { service: string; environment: string }) =>
      `http://app.${service}-${environment}.svc`;
    const { parts, step } = await declaring(['shop'], { settings: { hasPlatformProxy: false, innerUrl } });
    await deployed(parts, 'shop', ['prod']);
    const { dependencies } = await resolveDependencies(parts, step());
    assert.deepEqual(dependencies, [{ ...SHOP, url: 'http://app.shop-prod.svc' }]);
  });

  it('have their public address where workloads have no relay, and none where that is the loopback’s', async () => {
    const { parts, step } = await declaring(['shop'], { settings: { hasPlatformProxy: false } });
    await deployed(parts, 'shop', ['prod']);
    const context = step();
    assert.deepEqual(await resolveDependencies(parts, context), { dependencies: [] });
    assert.match(context.warnings.join(), /containers do not reach the address of shop.*PLATFORM_DOMAIN/);
    const edge = { ...parts.edge, url: () => 'http://shop.prod.apps.example:8000' };
    const { dependencies } = await resolveDependencies({ ...parts, edge }, step());
    assert.deepEqual(dependencies, [{ ...SHOP, url: 'http://shop.prod.apps.example:8000' }]);
  });
});
