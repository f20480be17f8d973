import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isReservedVariable } from '../../../domain/config/variable-names.ts';
import {
  consumedVariable,
  consumerId,
  databaseScope,
  isConsumerUser,
  isDatabaseScope,
  userBase,
} from '../../../domain/databases/consumer.ts';
import { databaseName, databaseUsers, parseDatabaseName } from '../../../domain/databases/database-name.ts';
import { dependencyVariable } from '../../../domain/deploys/dependency.ts';
import { dependencyScopes } from '../../../domain/oauth-clients/derive-client.ts';

const LONGEST = databaseName({ service: 'a'.repeat(40), environment: 'sandbox' });
const idOf = (serviceId: string, access: 'read' | 'write') => consumerId('postgres', LONGEST, { serviceId, access });
const consumes = { service: 'x', serviceId: 'svc_x', access: 'read' } as const;

describe('who uses a database of another service', () => {
  it('has users of its own, of at most 63 bytes, which are no other database and none of its users', () => {
    const [first, second] = databaseUsers(userBase({ id: idOf('svc_1', 'read'), database: LONGEST, consumes }));
    for (const user of [first, second]) {
      assert.ok(user.length <= 63, user);
      assert.ok(isConsumerUser(LONGEST, user));
      assert.equal(parseDatabaseName(user), null);
      assert.ok(!databaseUsers(LONGEST).includes(user));
    }
    const ids = ['svc_1', 'svc_2'].flatMap((id) => [idOf(id, 'read'), idOf(id, 'write')]);
    assert.equal(new Set(ids).size, 4, 'another one for each service and access');
  });

  const strangers = ['shop_prod', 'shop_prod_a', 'shop_prod_read', 'shop_prod_abcdefghij', 'shop_prod_abcdefghij_c'];
  for (const user of [
    ...strangers,
    'shop_prod_ABCDEFGHIJ_a',
    'shop_prod_abcdefghij_a_b',
    'other_prod_abcdefghij_a',
    '',
  ]) {
    it(`is not ${user === '' ? 'an empty name' : user}`, () => assert.equal(isConsumerUser('shop_prod', user), false));
  }

  const variables = [
    ['shop', 'postgres', 'SHOP_POSTGRES_URI'],
    ['shop-api', 'postgres', 'SHOP_API_POSTGRES_URI'],
    ['3d-shop', 'postgres', '_3D_SHOP_POSTGRES_URI'],
    ['shop-postgres', 'postgres', 'SHOP_POSTGRES_POSTGRES_URI'],
    ['postgres', 'postgres', 'POSTGRES_POSTGRES_URI'],
    ['shop', 'mongodb', 'SHOP_MONGODB_URI'],
    ['mongodb', 'mongodb', 'MONGODB_MONGODB_URI'],
  ] as const;
  for (const [service, engine, variable] of variables) {
    it(`finds the database of ${service} in ${variable}, which is no variable of the platform and of no dependency`, () => {
      assert.equal(consumedVariable({ service, engine }), variable);
      assert.equal(isReservedVariable(variable), false);
      assert.notEqual(variable.slice(-4), dependencyVariable(service).slice(-4));
    });
  }

  it('asks for a scope that no service has, whatever it is called', () => {
    assert.equal(databaseScope({ engine: 'postgres', access: 'read' }), 'database/postgres:read');
    for (const scope of ['database/postgres:write', 'database/mongodb:read']) assert.ok(isDatabaseScope(scope), scope);
    for (const scope of ['database/redis:read', 'database/postgres:admin', 'database:postgres:read', 'shop:read', '']) {
      assert.equal(isDatabaseScope(scope), false, scope);
    }
    for (const service of ['database', 'shop']) {
      const { scopes } = dependencyScopes({ service, scopes: ['postgres:read', 'database/postgres:read'] });
      assert.ok(!scopes.some(isDatabaseScope), service);
    }
  });
});
