import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VARIABLE_NAME } from '../../../domain/config/variable-names.ts';
import {
  dependenciesAt,
  dependencyTunnel,
  dependencyUrl,
  dependencyVariable,
  parseTunnel,
  resolvedDependency,
} from '../../../domain/deploys/dependency.ts';

const URL = 'http://shop.prod.internal:7600';

describe('the variable of a dependency', () => {
  for (const [service, variable] of [
    ['shop', 'SHOP_URL'],
    ['shop-api', 'SHOP_API_URL'],
    ['3d-shop', '_3D_SHOP_URL'],
  ] as const) {
    it(`of ${service} is ${variable}`, () => {
      assert.equal(dependencyVariable(service), variable);
      assert.match(variable, VARIABLE_NAME);
    });
  }

  for (const service of ['idp', 'registry', 'gateway', 'wallet-service', 'redis', 'public', 'neo4j-graph']) {
    it(`of ${service} would be the platform’s own, so there is none`, () => {
      const expected = { service, serviceId: 'svc_1', url: URL, variable: null };
      assert.deepEqual(resolvedDependency({ name: service, id: 'svc_1' }, URL), expected);
    });
  }
});

describe('the address of a dependency', () => {
  it('follows from its name and environment alone', () => {
    assert.equal(dependencyUrl({ service: 'shop', environment: 'prod' }, 3000), URL);
    assert.equal(dependencyUrl({ service: 'shop', environment: 'uat' }, 3000), 'http://shop.uat.internal:7600');
  });

  it('is never at the port where the caller listens', () => {
    assert.equal(dependencyUrl({ service: 'shop', environment: 'prod' }, 7600), 'http://shop.prod.internal:7601');
    const dependencies = [
      { service: 'shop', url: URL },
      { service: 'far', url: 'https://far.example:7600' },
    ];
    const urls = dependenciesAt(dependencies, { environment: 'prod', ownPort: 7600 }).map(({ url }) => url);
    assert.deepEqual(urls, ['http://shop.prod.internal:7601', 'https://far.example:7600']);
    assert.deepEqual(dependenciesAt(dependencies, { environment: 'prod', ownPort: 3000 }), dependencies);
  });

  it('is asked for with the id of the service, which no name can be taken for', () => {
    const host = 'shop.prod.internal:7600';
    assert.deepEqual(parseTunnel(dependencyTunnel('svc_1', host)), { serviceId: 'svc_1', host });
    assert.deepEqual(parseTunnel(dependencyTunnel(undefined, host)), { serviceId: null, host });
    assert.deepEqual(parseTunnel('svc-1.prod.internal:1'), { serviceId: null, host: 'svc-1.prod.internal:1' });
  });
});
