import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { workloadOf } from '../../../../activities/deploys/release-of-build.ts';
import { provisionDatabases } from '../../../../activities/deploys/steps/provision-databases.ts';
import { createSecretCipher } from '../../../../adapters/crypto/secret-cipher.ts';
import { createServiceDatabases } from '../../../../domain/databases/service-databases.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { catalogRecord, releaseRecord } from '../../../ports/records.ts';
import { useDeploy } from '../use-deploy.ts';

const POSTGRES = { catalog: catalogRecord({ databases: ['postgres'] }) };
const DATABASE = 'hello_prod';

/** A service in prod with a catalog that declares PostgreSQL, deployed once. */
async function provisioned() {
  const used = await useDeploy({ build: { environment: 'prod' } });
  const { parts, attempt } = used;
  const context = attempt(POSTGRES);
  assert.deepEqual(await provisionDatabases(parts, context), { databases: ['postgres'] });
  const password = () => parts.databaseServer.held.get(DATABASE)?.passwords.get(`${DATABASE}_a`);
  const release = releaseRecord({
    ...{
      id: 'rel_hello',
      service: 'hello',
      serviceId: 'svc_hello',
      environment: 'prod',
      databases: ['postgres'],
      secrets: {},
    },
  });
  const env = async (changes: object = {}) => (await workloadOf(parts, { ...release, ...changes }, 'bld_1')).env;
  return { ...used, context, password, release, env };
}

describe('databases', () => {
  it('makes a database with a user of its own; a redeploy keeps the data and the password', async () => {
    const { parts, attempt, context, password } = await provisioned();
    parts.databaseServer.held.get(DATABASE)?.values.push('kept');
    const first = password();
    assert.match(first ?? '', /^password-of-a-database/);
    assert.deepEqual([context.lines, context.warnings], [['The PostgreSQL database is hello_prod'], []]);
    await provisionDatabases(parts, attempt(POSTGRES));
    assert.equal(password(), first);
    assert.deepEqual(parts.databaseServer.held.get(DATABASE)?.values, ['kept']);
  });

  it('gives the workload the address with its login, by names that nobody else sets', async () => {
    const { env, password, parts, release } = await provisioned();
    const uri = `postgresql://hello_prod_a:${password()}@postgres.internal:5432/hello_prod`;
    const given = await env();
    assert.deepEqual([given.POSTGRES_URI, given.DATABASE_URL], [uri, uri]);
    const set = await env({ config: { DATABASE_URL: 'postgresql://elsewhere', POSTGRES_URI: 'forged' } });
    assert.deepEqual([set.POSTGRES_URI, set.DATABASE_URL], [uri, 'postgresql://elsewhere']);
    assert.equal((await env({ databases: [] })).POSTGRES_URI, undefined, 'a release that was made without it');
    const atItsPort = await workloadOf(parts, { ...release, port: 5432 }, 'bld_1');
    assert.deepEqual(atItsPort.databases, [{ engine: 'postgres', host: 'postgres.internal', port: 5433, options: {} }]);
    assert.match(atItsPort.env.POSTGRES_URI ?? '', /@postgres\.internal:5433\//);
  });

  it('another service of that name is given nothing of it', async () => {
    const { env } = await provisioned();
    assert.equal((await env({ serviceId: 'svc_later' })).POSTGRES_URI, undefined);
    assert.equal((await env({ environment: 'uat' })).POSTGRES_URI, undefined);
  });

  it('two builds at once give the server one password', async () => {
    const { parts, attempt } = await useDeploy({ build: { environment: 'prod' } });
    const told: string[] = [];
    const { server } = parts.databaseServer;
    const ensure = server.ensure.bind(server);
    Object.assign(server, {
      ensure: (...given: Parameters<typeof ensure>) => {
        told.push(given[1].password);
        return ensure(...given);
      },
    });
    await Promise.all([attempt(POSTGRES), attempt(POSTGRES)].map((context) => provisionDatabases(parts, context)));
    assert.deepEqual([told.length, new Set(told).size], [2, 1]);
  });

  it('an engine without a server, or without keys to keep its password, is a warning with its remedy', async () => {
    const { parts, attempt } = await useDeploy();
    const mongo = attempt({ catalog: catalogRecord({ databases: ['mongodb', 'postgres'] }) });
    assert.deepEqual(await provisionDatabases(parts, mongo), { databases: ['postgres'] });
    assert.match(mongo.warnings.join(), /hello gets no MongoDB database: .* set DB_MONGODB_ADMIN_URI on the worker/);
    assert.match(mongo.warnings.join(), /stand-in has none: that knows one user/);
    const without = attempt(POSTGRES);
    assert.deepEqual(await provisionDatabases({ ...parts, databases: null }, without), { databases: [] });
    assert.equal(without.warnings.length, 1);
  });

  it('an address that is the loopback of containers is a warning', async () => {
    const { parts, attempt } = await useDeploy();
    const databases = createServiceDatabases({
      ...{
        records: parts.databaseRecords,
        cipher: parts.cipher,
        newPassword: () => 'secret',
        newGeneration: () => 'aaaaaaaaaaaa',
        now: parts.now,
      },
      engines: {
        postgres: {
          server: parts.databaseServer.server,
          address: () => ({ host: '127.0.0.1', port: 5432, options: {} }),
        },
      },
      ...{ commands: { dropLater: async () => undefined }, mayConsume: async () => true, graceDays: 7 },
    });
    const context = attempt(POSTGRES);
    await provisionDatabases({ ...parts, databases }, context);
    assert.match(context.warnings.join(), /127\.0\.0\.1 is the container itself.*set DB_POSTGRES_HOST/);
  });

  it('a server that is away ends the attempt with its own words; the next one uses the same password', async () => {
    const { parts, attempt } = await useDeploy({ build: { environment: 'prod' } });
    const away = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
    const { server } = parts.databaseServer;
    const ensure = server.ensure.bind(server);
    Object.assign(server, { ensure: () => Promise.reject(away) });
    await assert.rejects(provisionDatabases(parts, attempt(POSTGRES)), (error) => error === away);
    const [record] = await parts.databaseRecords.ofService('svc_hello');
    Object.assign(server, { ensure });
    await provisionDatabases(parts, attempt(POSTGRES));
    assert.deepEqual(await parts.databaseRecords.ofService('svc_hello'), [record]);
  });

  it('a password that no key opens is replaced, and the build says so', async () => {
    const { parts, attempt, password } = await provisioned();
    const lost = createServiceDatabases({
      records: parts.databaseRecords,
      cipher: createSecretCipher([Buffer.alloc(32, 9)]),
      newPassword: () => 'a-new-one',
      newGeneration: () => 'aaaaaaaaaaaa',
      now: parts.now,
      engines: {
        postgres: { server: parts.databaseServer.server, address: () => ({ host: 'x', port: 1, options: {} }) },
      },
      commands: { dropLater: async () => undefined },
      mayConsume: async () => true,
      graceDays: 7,
    });
    assert.deepEqual(await lost.passwords('svc_hello'), []);
    const context = attempt(POSTGRES);
    await provisionDatabases({ ...parts, databases: lost }, context);
    assert.equal(password(), 'a-new-one');
    assert.match(context.warnings.join(), /cannot be read with the keys of this installation; it gets a new one/);
  });
});

describe('the database of a removed service', () => {
  it('is kept for the days of grace; a service of that name in the same org has it again', async () => {
    const { parts, attempt } = await provisioned();
    parts.databaseServer.held.get(DATABASE)?.values.push('kept');
    await parts.databases.keep('svc_hello');
    parts.advance(60_000);
    await parts.databases.keep('svc_hello');
    const until = new Date('2026-01-08T00:00:00Z');
    assert.deepEqual(parts.drops, Array(2).fill({ id: 'postgres/hello_prod', dropAfter: until }));
    await parts.services.remove('svc_hello');
    await parts.services.upsert({ id: 'svc_again', name: 'hello', org: 'acme' }, {});
    const context = { ...attempt(POSTGRES) };
    const again = { ...context, build: { ...context.build, serviceId: 'svc_again' } };
    assert.deepEqual(await provisionDatabases(parts, again), { databases: ['postgres'] });
    assert.match(context.warnings.join(), /hello_prod of the removed service is in use again, with its data/);
    assert.deepEqual(parts.databaseServer.held.get(DATABASE)?.values, ['kept']);
    const { state, earlierServiceIds } = (await parts.databaseRecords.find('postgres/hello_prod')) ?? {};
    assert.deepEqual([state, earlierServiceIds], ['active', ['svc_hello']]);
  });

  it('is refused to another org, and to everybody once it is being dropped', async () => {
    for (const [org, isDropping, retryable] of [
      ['rival', false, false],
      ['acme', true, true],
    ] as const) {
      const { parts, attempt } = await provisioned();
      await parts.databases.keep('svc_hello');
      const [record] = await parts.databaseRecords.ofService('svc_hello');
      assert.ok(record?.dropAfter);
      if (isDropping) await parts.databaseRecords.startDropping(record.id, record.dropAfter);
      await parts.services.remove('svc_hello');
      await parts.services.upsert({ id: 'svc_again', name: 'hello', org }, {});
      const context = attempt(POSTGRES);
      const build = { ...context.build, serviceId: 'svc_again' };
      await assert.rejects(provisionDatabases(parts, { ...context, build }), { code: 'CONFLICT', retryable });
    }
  });
});
