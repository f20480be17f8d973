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
  const access = { ...address, database: 'shop_prod', user: 'shop_prod_a', password: 'of:the/service' };
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
