import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { dropKeptDatabase } from '../../../activities/databases/drop-kept-database.ts';
import { reconcileServers } from '../../../activities/databases/reconcile-servers.ts';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { keyPrefix } from '../../../domain/databases/engines.ts';
import { sealLogin } from '../../../domain/databases/login.ts';
import { reconcileUsers } from '../../../domain/databases/reconcile-users.ts';
import type { DatabaseRecord } from '../../../domain/databases/record.ts';
import { createServiceDatabases } from '../../../domain/databases/service-databases.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { databaseRecord } from '../../ports/database-records.ts';
import { createInMemoryDatabaseRecords } from '../../support/in-memory/database-records.ts';
import { openRedis, startRedis, type TestRedis } from '../../support/start-redis.ts';

/** What becomes of keys and users when memory is full, a snapshot comes back, or a worker is late. */

const signal = new AbortController().signal;
const cipher = createSecretCipher([Buffer.alloc(32, 7)]);
const mayConsume = async () => true;
const [FIRST, LATER] = ['111111111111', '222222222222'];
const AT = new Date('2026-02-01T00:00:00Z');

let redis: TestRedis;
before(async () => {
  redis = await startRedis();
});
after(() => redis.stop());

const loginOf = (service: string, turn = 'a', password = `${service}-${turn}`) => {
  return { user: `${service}_prod_${turn}`, password };
};
const keyOf = (service: string, generation: string) => `${keyPrefix(`${service}_prod`, generation)}secret`;

async function made(service: string, generation = FIRST, turn = 'a') {
  const login = loginOf(service, turn);
  await redis.server.ensure(`${service}_prod`, login, signal, generation);
  return login;
}

function recordOf(service: string, fields: Partial<DatabaseRecord> = {}): DatabaseRecord {
  const record = databaseRecord({
    ...{ id: `redis/${service}_prod`, engine: 'redis', database: `${service}_prod`, service, generation: FIRST },
    ...fields,
  });
  return { ...record, login: fields.login ?? sealLogin(cipher, record, loginOf(service), AT) };
}

test('while the memory is full a database is made, rotated and dropped, and what it held is free again', async () => {
  const first = await made('full');
  const client = await openRedis(redis.port, first);
  const used = /used_memory:(\d+)/.exec(String(await redis.command(['INFO', 'memory'])))?.[1];
  await redis.command(['CONFIG', 'SET', 'maxmemory', String(Number(used) + 4_000_000)]);
  try {
    const fill = async () => {
      for (let index = 0; index < 200; index += 1) {
        await client.set(`${keyPrefix('full_prod', FIRST)}${index}`, 'x'.repeat(100_000));
      }
    };
    await assert.rejects(fill(), /OOM/, 'it is full');
    const second = await made('full', FIRST, 'b');
    await redis.server.withdraw('full_prod', first.user, signal);
    await assert.rejects(openRedis(redis.port, first));
    await assert.rejects(redis.command(['SET', keyOf('full', FIRST), 'x'.repeat(1_000_000)], second), /OOM/);
    await redis.server.drop('full_prod', signal, undefined, FIRST);
    await assert.rejects(openRedis(redis.port, second));
    await redis.command(['SET', keyOf('after', FIRST), 'x'], await made('after'));
  } finally {
    client.destroy();
    await redis.command(['CONFIG', 'SET', 'maxmemory', '512mb']);
  }
});

test('keys that an old snapshot brings back are not those of the next owner of the name', async () => {
  const { part } = redis;
  const folder = join(part.context.dataDir, 'redis');
  const login = await made('snap');
  await redis.command(['SET', keyOf('snap', FIRST), 'of the first owner'], login);
  await part.restart(() => cp(folder, `${folder}.old`, { recursive: true }));
  await redis.server.drop('snap_prod', signal, undefined, FIRST);
  const next = { ...login, password: 'of the next owner' };
  await part.restart(async () => {
    await rm(folder, { recursive: true });
    await cp(`${folder}.old`, folder, { recursive: true });
  });
  assert.equal(await redis.command(['GET', keyOf('snap', FIRST)]), 'of the first owner', 'it is back');
  await redis.server.ensure('snap_prod', next, signal, LATER);
  await assert.rejects(redis.command(['GET', keyOf('snap', FIRST)], next), /NOPERM/);
  await redis.command(['SET', keyOf('snap', LATER), 'mine'], next);
  await assert.rejects(openRedis(redis.port, login));
});

test('a drop that comes late takes neither keys nor users of the next owner of the name', async () => {
  const records = createInMemoryDatabaseRecords();
  const kept = recordOf('late', { state: 'kept', dropAfter: AT });
  await records.claim(kept);
  await made('late');
  const heir = recordOf('late', { serviceId: 'svc_heir', generation: LATER });
  const paused: typeof redis.server = {
    ...redis.server,
    async drop(database, given, isMeant, generation) {
      // It went on after the question whether it is meant still.
      assert.equal(await isMeant?.(), true);
      await redis.server.drop(database, given, isMeant, generation);
      await records.removeDropped(kept.id, AT);
      await records.claim(heir);
      await made('late', LATER);
      await redis.command(['SET', keyOf('late', LATER), 'of the heir'], loginOf('late'));
      await redis.server.drop(database, given, undefined, generation);
      // As another engine, or another version, may do.
      await redis.server.withdraw(database, kept.login.user, given);
    },
  };
  const deps = {
    records,
    servers: { redis: paused },
    finalBackup: null,
    rotation: { cipher, mayConsume },
    audit: null,
  };
  const rest = { now: () => AT, raiseAlarm: async () => undefined };
  await dropKeptDatabase({ ...deps, ...rest }, { id: kept.id, dropAfter: AT.toISOString() }, signal);
  assert.equal(await redis.command(['GET', keyOf('late', LATER)], loginOf('late')), 'of the heir');
  assert.equal((await records.find(kept.id))?.serviceId, 'svc_heir');
});

test('users that the server forgot are let in again, and those that it got back are taken away', async () => {
  const records = createInMemoryDatabaseRecords();
  const lost = recordOf('lost');
  // Its rotation has ended: the user before is not valid any more.
  const rotated = recordOf('rotated');
  const current = { ...rotated, login: sealLogin(cipher, rotated, loginOf('rotated', 'b'), AT) };
  const remade = recordOf('remade', { generation: LATER });
  const removed = recordOf('removed', { state: 'kept', dropAfter: AT });
  for (const record of [lost, current, remade, removed]) await records.claim(record);
  for (const service of ['rotated', 'remade', 'removed', 'unknown']) await made(service);
  await made('remade', FIRST, 'b');
  // A password of before, under a user that is valid.
  await redis.server.ensure('lost_prod', { ...loginOf('lost'), password: 'of before' }, signal, FIRST);
  await reconcileUsers({ records, cipher, mayConsume }, redis.server, signal);
  for (const refused of [
    loginOf('lost', 'a', 'of before'),
    loginOf('rotated'),
    loginOf('remade', 'b'),
    loginOf('unknown'),
  ]) {
    await assert.rejects(openRedis(redis.port, refused), refused.user);
  }
  await redis.command(['SET', keyOf('lost', FIRST), '1'], loginOf('lost'));
  await redis.command(['SET', keyOf('rotated', FIRST), '1'], loginOf('rotated', 'b'));
  await redis.command(['SET', keyOf('remade', LATER), '1'], loginOf('remade'));
  await redis.command(['SET', keyOf('removed', FIRST), '1'], loginOf('removed'));
});

test('each night what the server forgot is let in, what it got back is taken away, and what it has is left alone', async () => {
  const records = createInMemoryDatabaseRecords();
  const rotated = recordOf('nightly');
  const current = { ...rotated, login: sealLogin(cipher, rotated, loginOf('nightly', 'b'), AT) };
  for (const record of [recordOf('forgotten'), current, recordOf('there')]) await records.claim(record);
  for (const service of ['nightly', 'there']) await made(service);
  const told: string[] = [];
  const { server } = redis;
  const watched: typeof server = {
    ...server,
    ensure: async (database, login, ...given) => {
      told.push(login.user);
      return await server.ensure(database, login, ...given);
    },
  };
  const away: typeof server = { ...server, users: () => Promise.reject(new FairleadError('UNAVAILABLE', 'away')) };
  const rotation = { cipher, mayConsume };
  assert.deepEqual(await reconcileServers({ records, servers: { redis: away }, rotation }, signal), [
    'the users of Redis: away',
  ]);
  assert.deepEqual(await reconcileServers({ records, servers: { redis: watched }, rotation }, signal), []);
  assert.deepEqual(told.sort(), ['forgotten_prod_a', 'nightly_prod_b']);
  await assert.rejects(openRedis(redis.port, loginOf('nightly')));
  await redis.command(['SET', keyOf('forgotten', FIRST), '1'], loginOf('forgotten'));
  await redis.command(['SET', keyOf('nightly', FIRST), '1'], loginOf('nightly', 'b'));
});

test('while users are reconciled a login that gets its turn is let in', async () => {
  const records = createInMemoryDatabaseRecords();
  const record = recordOf('turn');
  await records.claim(record);
  await made('turn');
  await made('turn', FIRST, 'b');
  const next = sealLogin(cipher, record, loginOf('turn', 'b'), AT);
  const server: typeof redis.server = {
    ...redis.server,
    async withdraw(...given) {
      if (given[0] === record.database) assert.ok(await records.prepareLogin(record.id, record.login, next));
      await redis.server.withdraw(...given);
    },
  };
  await reconcileUsers({ records, cipher, mayConsume }, server, signal);
  (await openRedis(redis.port, loginOf('turn', 'b'))).destroy();
});

test('the first deploy of a new database takes away a user of an earlier one of its name', async () => {
  await made('again', FIRST, 'b');
  const databases = createServiceDatabases({
    ...{ records: createInMemoryDatabaseRecords(), cipher, now: () => AT, graceDays: 7, mayConsume },
    ...{ newPassword: () => 'again-a', newGeneration: () => LATER },
    commands: { dropLater: async () => undefined },
    engines: { redis: { server: redis.server, address: () => ({ host: 'cache', port: 6379, options: {} }) } },
  });
  const owner = { service: 'again', serviceId: 'svc_again', org: 'acme', environment: 'prod' } as const;
  assert.deepEqual(await databases.provision('redis', owner, signal), { database: 'again_prod', warnings: [] });
  await assert.rejects(openRedis(redis.port, loginOf('again', 'b')));
  const { reserved } = await databases.variables(owner, { own: ['redis'], consumed: [] }, 4000);
  assert.deepEqual(reserved, {
    REDIS_URL: 'redis://again_prod_a:again-a@cache:6379/0',
    REDIS_KEY_PREFIX: keyPrefix('again_prod', LATER),
  });
  await redis.command(['SET', keyOf('again', LATER), 'mine'], loginOf('again'));
});

test('one login that no key opens is told, and holds no other up', async () => {
  const records = createInMemoryDatabaseRecords();
  const sealed = { keyId: 'gone', sealed: 'x' };
  await records.claim(recordOf('a-closed', { login: { user: 'a-closed_prod_a', password: sealed, issuedAt: AT } }));
  await records.claim(recordOf('open'));
  await assert.rejects(reconcileUsers({ records, cipher, mayConsume }, redis.server, signal), { code: 'INTERNAL' });
  (await openRedis(redis.port, loginOf('open'))).destroy();
});
