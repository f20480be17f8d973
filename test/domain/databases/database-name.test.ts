import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BACKUP_ENGINES, whyNoBackup } from '../../../domain/backups/backup.ts';
import { isReservedVariable } from '../../../domain/config/variable-names.ts';
import { databaseName, databaseUsers, nextUser, parseDatabaseName } from '../../../domain/databases/database-name.ts';
import { DATABASE_ENGINES, ENGINES } from '../../../domain/databases/engines.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { serviceNameSchema } from '../../../domain/service-name.ts';

const services = fc
  .oneof(fc.constant('pg'), fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/))
  .filter((name) => serviceNameSchema.safeParse(name).success);
const targets = fc.record({ service: services, environment: fc.constantFrom(...ENVIRONMENTS) });

test('a name leads back to its service and environment, and no two of them share one', () => {
  fc.assert(
    fc.property(targets, targets, (one, other) => {
      assert.deepEqual(parseDatabaseName(databaseName(one)), { ...one });
      const isSame = one.service === other.service && one.environment === other.environment;
      assert.equal(databaseName(one) === databaseName(other), isSame);
    }),
  );
});

test('the longest names fit every engine, and no user has the name of another one or of a database', () => {
  const database = databaseName({ service: 'a'.repeat(40), environment: 'sandbox' });
  for (const name of [database, ...databaseUsers(database)]) assert.ok(Buffer.byteLength(name) <= 63, name);
  for (const user of databaseUsers(database)) assert.equal(parseDatabaseName(user), null);
});

test('no name is one that PostgreSQL keeps to itself', () => {
  for (const service of ['pg', 'pg-stats', 'pgx']) {
    const target = { service, environment: 'prod' } as const;
    const name = databaseName(target);
    for (const role of [name, ...databaseUsers(name)]) assert.ok(!role.startsWith('pg_'), role);
    assert.deepEqual(parseDatabaseName(name), target);
  }
});

test('names that the platform does not give have no service', () => {
  for (const name of [
    'postgres',
    'prod',
    '_prod',
    'shop_live',
    'shop_prod_a',
    'Shop_prod',
    'a_b_prod',
    'shop-prod',
    'shop-_prod',
    'pg_prod',
    'pg--_prod',
    '',
  ]) {
    assert.equal(parseDatabaseName(name), null, name);
  }
});

test('users take turns', () => {
  const first = nextUser('shop_prod', null);
  const second = nextUser('shop_prod', first);
  assert.deepEqual([first, second], ['shop_prod_a', 'shop_prod_b']);
  assert.equal(nextUser('shop_prod', second), first);
});

const ACCESS = {
  ...{ host: 'db.internal', port: 5432, database: 'shop_prod', generation: '1f0c9a3b77de', user: 'shop_prod_a' },
  ...{ password: "p@:/?#%'é", options: { sslmode: 'require' } },
};
const QUOTED = "p%40%3A%2F%3F%23%25'%C3%A9";
const rows = [
  [
    'postgres',
    { POSTGRES_URI: `postgresql://shop_prod_a:${QUOTED}@db.internal:5432/shop_prod?sslmode=require` },
    { DATABASE_URL: `postgresql://shop_prod_a:${QUOTED}@db.internal:5432/shop_prod?sslmode=require` },
  ],
  ['mongodb', { MONGODB_URI: `mongodb://shop_prod_a:${QUOTED}@db.internal:5432/shop_prod?sslmode=require` }, {}],
  [
    'redis',
    {
      REDIS_URL: `redis://shop_prod_a:${QUOTED}@db.internal:5432/0`,
      REDIS_KEY_PREFIX: 'shop_prod.1f0c9a3b77de:',
    },
    {},
  ],
  [
    'neo4j',
    {
      NEO4J_URI: 'neo4j://db.internal:5432',
      NEO4J_USERNAME: 'shop_prod_a',
      NEO4J_PASSWORD: ACCESS.password,
      NEO4J_DATABASE: 'service-shop-prod',
    },
    {},
  ],
] as const;

for (const [engine, variables, usual] of rows) {
  test(`a workload finds its ${engine} by variables that nobody else may set`, () => {
    assert.deepEqual(ENGINES[engine].variables(ACCESS), variables);
    assert.deepEqual(ENGINES[engine].usual(ACCESS), usual);
    for (const name of Object.keys(variables)) assert.ok(isReservedVariable(name), name);
    for (const name of Object.keys(usual)) assert.ok(!isReservedVariable(name), name);
  });
}

test('an engine is backed up, or says why it is not', () => {
  const backedUp = DATABASE_ENGINES.filter((engine) => ENGINES[engine].notBackedUp === null);
  assert.deepEqual(backedUp, [...BACKUP_ENGINES]);
  assert.equal(whyNoBackup('redis'), 'redis: Redis is a cache: its databases are not backed up');
  for (const engine of [...BACKUP_ENGINES, 'oracle', undefined]) assert.equal(whyNoBackup(engine), undefined);
});
