import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveDependencies } from '../../../../activities/deploys/steps/resolve-dependencies.ts';
import type { Environment } from '../../../../domain/environment.ts';
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
