import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databasesSection } from '../../adapters/env/databases.ts';
import { configSection } from '../../adapters/env/deploys.ts';
import { platformSocketSection } from '../../adapters/env/platform.ts';
import { readSection } from '../../adapters/env.ts';
import { ENGINES } from '../../domain/databases/engines.ts';
import { composeEngines } from '../../workers/service-databases.ts';

const section = { ...databasesSection, ...configSection, ...platformSocketSection };
const POSTGRES = { DB_POSTGRES_ADMIN_URI: 'postgresql://root:secret@db.internal/postgres' };
const MONGODB = { DB_MONGODB_ADMIN_URI: 'mongodb://root:secret@m1.internal,m2.internal/?replicaSet=rs0&tls=true' };

const engines = (env: Record<string, string>) => composeEngines(readSection(section, env));

function uriOf(env: Record<string, string>, ownPort = 4000): string {
  const address = engines(env).mongodb?.address(ownPort);
  assert.ok(address);
  const access = {
    ...address,
    database: 'shop_prod',
    generation: null,
    user: 'shop_prod_a',
    password: 'of:the/service',
  };
  return ENGINES.mongodb.variables(access).MONGODB_URI ?? '';
}

test('each engine is configured by its own address, and by no other', () => {
  assert.deepEqual(Object.keys(engines({})), []);
  assert.deepEqual(Object.keys(engines(POSTGRES)), ['postgres']);
  assert.deepEqual(Object.keys(engines(MONGODB)), ['mongodb']);
  assert.deepEqual(Object.keys(engines({ ...POSTGRES, ...MONGODB })).sort(), ['mongodb', 'postgres']);
});

test('a workload reaches MongoDB at the address of its host, as the administrator does, with its own login', () => {
  assert.equal(
    uriOf({ ...MONGODB, DB_MONGODB_HOST: 'mongo.example', DB_MONGODB_PORT: '27018' }),
    'mongodb://shop_prod_a:of%3Athe%2Fservice@mongo.example:27018/shop_prod?tls=true&replicaSet=rs0',
  );
});

test('by the relay it reaches one server, and does not look for others at addresses that only this machine knows', () => {
  const relayed = { ...MONGODB, PLATFORM_SOCKET: '/run/fairlead/http.sock' };
  const rest = '/shop_prod?directConnection=true';
  const login = 'mongodb://shop_prod_a:of%3Athe%2Fservice@';
  assert.equal(uriOf(relayed), `${login}mongodb.internal:27017${rest}`);
  assert.equal(uriOf(relayed, 27_017), `${login}mongodb.internal:27018${rest}`);
});

test('Redis and Neo4j are found directly as the administrator finds them, and by the relay at one server', () => {
  const env = {
    DB_REDIS_ADMIN_URL: 'rediss://root:secret@cache.internal:6380',
    DB_NEO4J_ADMIN_URI: 'neo4j+s://graph.internal',
    DB_NEO4J_ADMIN_PASSWORD: 'secret',
  };
  const given = (relay: Record<string, string>) => {
    const { redis, neo4j } = engines({ ...env, ...relay });
    assert.ok(redis !== undefined && neo4j !== undefined);
    const login = { database: 'shop_prod', generation: null, user: 'shop_prod_a', password: 'own' };
    return {
      ...ENGINES.redis.variables({ ...redis.address(4000), ...login }),
      ...ENGINES.neo4j.variables({ ...neo4j.address(4000), ...login }),
    };
  };
  const same = {
    REDIS_KEY_PREFIX: 'shop_prod:',
    ...{ NEO4J_USERNAME: 'shop_prod_a', NEO4J_PASSWORD: 'own', NEO4J_DATABASE: 'service-shop-prod' },
  };
  assert.deepEqual(given({}), {
    ...{ REDIS_URL: 'rediss://shop_prod_a:own@localhost:6379/0', NEO4J_URI: 'neo4j+s://localhost:7687', ...same },
  });
  assert.deepEqual(given({ PLATFORM_SOCKET: '/run/fairlead/http.sock' }), {
    ...{
      REDIS_URL: 'rediss://shop_prod_a:own@redis.internal:6379/0',
      NEO4J_URI: 'bolt+s://neo4j.internal:7687',
      ...same,
    },
  });
});
