import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VARIABLE_NAME } from '../../../domain/config/variable-names.ts';
import { dependencyUrl, dependencyVariable, resolvedDependency } from '../../../domain/deploys/dependency.ts';

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
      assert.deepEqual(resolvedDependency(service, URL), { service, url: URL, variable: null });
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
  });
});
