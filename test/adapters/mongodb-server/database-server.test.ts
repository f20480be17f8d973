import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { closeDatabase, openDatabase } from '../../../adapters/mongodb-server/close-database.ts';
import { createMongodbServer } from '../../../adapters/mongodb-server/database-server.ts';
import { SERVICE_ROLE } from '../../../adapters/mongodb-server/service-role.ts';
import { withAdmin } from '../../../adapters/mongodb-server/with-admin.ts';
import type { DatabaseLogin } from '../../../domain/databases/ports.ts';
import { databaseServerSuite, type WorkloadConnection } from '../../ports/database-server.ts';
import { type ScriptedMongo, startScriptedMongo } from '../../support/scripted-mongo.ts';
import { createScriptedUsers, type ScriptedUsers } from '../../support/scripted-users.ts';
import { NEEDS_USERS, startServiceMongo } from '../../support/start-service-mongo.ts';

const signal = new AbortController().signal;
const DATABASE = 'shop_prod';
const always = { signal, patienceMs: 100, isMeant: async () => true };
const LOGIN = { user: 'shop_prod_a', password: 'canary-of-a-password' };

/** What is told to a server whose answers are those of MongoDB's manual; nobody logs in to it. */
describe('databases on a MongoDB server, by its commands', () => {
  let users: ScriptedUsers;
  let scripted: ScriptedMongo;
  let server: ReturnType<typeof createMongodbServer>;
  before(async () => {
    scripted = await startScriptedMongo((command) => users.answer(command));
  });
  after(() => scripted.close());
  const fresh = () => {
    users = createScriptedUsers();
    server = createMongodbServer({ adminUri: scripted.uri, patienceMs: 100 });
  };

  it('a user has the role of its own database, which reads, writes and changes the rules of nothing else', async () => {
    fresh();
    assert.deepEqual(await server.ensure(DATABASE, LOGIN, signal), []);
    assert.deepEqual(Object.fromEntries(users.roles), {
      [`${DATABASE}.${SERVICE_ROLE}`]: {
        role: SERVICE_ROLE,
        roles: [{ role: 'readWrite', db: DATABASE }],
        privileges: [{ resource: { db: DATABASE, collection: '' }, actions: ['collMod'] }],
      },
    });
    const row = users.users.get(`${DATABASE}.${LOGIN.user}`);
    assert.deepEqual(row?.roles, [{ role: SERVICE_ROLE, db: DATABASE }]);
    await server.ensure(DATABASE, { ...LOGIN, password: 'another' }, signal);
    assert.deepEqual([...users.users.keys()], [`${DATABASE}.${LOGIN.user}`]);
  });

  it('a role that a restore has closed stays closed', async () => {
    fresh();
    await server.ensure(DATABASE, LOGIN, signal);
    users.roles.set(`${DATABASE}.${SERVICE_ROLE}`, { role: SERVICE_ROLE, roles: [], privileges: [] });
    await server.ensure(DATABASE, LOGIN, signal);
    assert.deepEqual(users.roles.get(`${DATABASE}.${SERVICE_ROLE}`)?.roles, []);
  });

  it('closed and opened, a database is so for all of its users by a write for each role, and their statements end', async () => {
    fresh();
    await server.ensure(DATABASE, LOGIN, signal);
    const role = () => users.roles.get(`${DATABASE}.${SERVICE_ROLE}`);
    const open = role();
    for (let again = 0; again < 2; again += 1) {
      users.asked.length = 0;
      await withAdmin(scripted.uri, signal, (client) => closeDatabase(client, DATABASE, always));
      assert.deepEqual([role()?.roles, role()?.privileges], [[], []]);
      const writes = users.asked.filter((name) => ['updateRole', 'killAllSessions'].includes(name));
      assert.deepEqual(writes, ['updateRole', 'killAllSessions']);
    }
    await withAdmin(scripted.uri, signal, (client) => openDatabase(client, DATABASE, always));
    assert.deepEqual(role(), open);
    // Without a user nothing ends: of an empty list MongoDB ends the statements of everybody.
    users.users.clear();
    users.asked.length = 0;
    await withAdmin(scripted.uri, signal, (client) => closeDatabase(client, DATABASE, always));
    assert.ok(!users.asked.includes('killAllSessions'));
    // A database of nobody, as those that were made by hand.
    await withAdmin(scripted.uri, signal, async (client) => {
      await closeDatabase(client, 'by-hand', always);
      await openDatabase(client, 'by-hand', always);
    });
    assert.equal(users.roles.size, 1);
  });

  it('closed by a call that is killed after any command, it is closed and opened by the next ones', async () => {
    const close = () => withAdmin(scripted.uri, signal, (client) => closeDatabase(client, DATABASE, always));
    const open = () => withAdmin(scripted.uri, signal, (client) => openDatabase(client, DATABASE, always));
    const rolesOf = () => users.roles.get(`${DATABASE}.${SERVICE_ROLE}`)?.roles;
    fresh();
    await server.ensure(DATABASE, LOGIN, signal);
    const opened = rolesOf();
    users.asked.length = 0;
    await close();
    for (const name of new Set(users.asked)) {
      users.faults.set(name, { ok: 0, code: 91, codeName: 'ShutdownInProgress', errmsg: 'stops' });
      await close().catch(isRetryable);
      users.faults.clear();
      await close();
      assert.deepEqual(rolesOf(), [], name);
      await open();
      assert.deepEqual([rolesOf(), users.roles.size], [opened, 1], name);
    }
  });

  it('killed after any command, the next call ends what it began', async () => {
    fresh();
    await server.ensure(DATABASE, LOGIN, signal);
    await server.drop(DATABASE, signal);
    const names = [...new Set(users.asked)];
    assert.ok(names.length > 6, names.join(', '));
    for (const name of names) {
      fresh();
      users.faults.set(name, { ok: 0, code: 91, codeName: 'ShutdownInProgress', errmsg: 'stops' });
      await server.ensure(DATABASE, LOGIN, signal).catch(isRetryable);
      users.faults.clear();
      await server.ensure(DATABASE, LOGIN, signal);
      assert.ok(users.users.has(`${DATABASE}.${LOGIN.user}`), name);
      users.databases.set(DATABASE, new Set(['notes']));
      users.faults.set(name, { ok: 0, code: 91, codeName: 'ShutdownInProgress', errmsg: 'stops' });
      await server.drop(DATABASE, signal).catch(isRetryable);
      users.faults.clear();
      await server.drop(DATABASE, signal);
      assert.deepEqual([users.users.size, users.roles.size, users.databases.size], [0, 0, 0], name);
    }
  });

  it('a worker that was paused while it dropped takes no data of the next owner of the name', async () => {
    fresh();
    await server.ensure(DATABASE, LOGIN, signal);
    users.databases.set(DATABASE, new Set(['notes']));
    const answers = [true, false];
    await server.drop(DATABASE, signal, async () => answers.shift() ?? false);
    assert.deepEqual([answers, users.databases.has(DATABASE)], [[], true]);
    await server.drop(DATABASE, signal);
    assert.equal(users.databases.has(DATABASE), false);
  });

  it('a database, and a user, that the platform did not make is neither changed nor dropped', async () => {
    fresh();
    users.databases.set(DATABASE, new Set(['theirs']));
    await assert.rejects(server.ensure(DATABASE, LOGIN, signal), { code: 'CONFLICT' });
    await assert.rejects(server.drop(DATABASE, signal), { code: 'CONFLICT' });
    assert.deepEqual([...users.databases.keys()], [DATABASE]);
    fresh();
    users.users.set(`${DATABASE}.${LOGIN.user}`, { user: LOGIN.user, roles: ['root'] });
    await assert.rejects(server.ensure(DATABASE, LOGIN, signal), { code: 'CONFLICT' });
    await assert.rejects(server.withdraw(DATABASE, LOGIN.user, signal), { code: 'CONFLICT' });
    assert.deepEqual(users.users.get(`${DATABASE}.${LOGIN.user}`)?.roles, ['root']);
  });

  it('a server that asks nobody for a password is refused: every service would open every database', async () => {
    fresh();
    users.faults.set('usersInfo', { ok: 1, users: [] });
    await assert.rejects(server.ensure(DATABASE, LOGIN, signal), {
      code: 'UNAVAILABLE',
      retryable: false,
      message: /lets everybody in: start it with --auth/,
    });
    assert.equal(users.users.size, 0);
  });

  const faults = [
    [18, { code: 'UNAVAILABLE', retryable: false, message: /refuses the credentials of DB_MONGODB_ADMIN_URI/ }],
    [13, { code: 'UNAVAILABLE', retryable: false, message: /needs the role root/ }],
    [59, { code: 'UNAVAILABLE', retryable: false, message: /no commands for users/ }],
    [14_031, { code: 'DISK_FULL' }],
    [10_107, { code: 'UNAVAILABLE', retryable: true }],
    [112, { code: 'UNAVAILABLE', retryable: true }],
    [9, { code: 'INTERNAL' }],
  ] as const;
  for (const [code, expected] of faults) {
    it(`error ${code} of the server is ${expected.code}`, async () => {
      fresh();
      users.faults.set('createRole', { ok: 0, code, errmsg: 'with a canary-of-a-password' });
      await assert.rejects(server.ensure(DATABASE, LOGIN, signal), (error: Error & { code: string }) => {
        assert.doesNotMatch(error.message, /canary/);
        return Object.entries(expected).every(([name, value]) =>
          value instanceof RegExp ? value.test(String(error[name as 'message'])) : error[name as 'message'] === value,
        );
      });
    });
  }

  it('a server that is away, and an address that is none, are told apart, and neither shows the password', async () => {
    const at = (adminUri: string) => createMongodbServer({ adminUri }).list(signal);
    const away = at('mongodb://root:canary-of-a-password@127.0.0.1:1/?serverSelectionTimeoutMS=200');
    await assert.rejects(away, { code: 'UNAVAILABLE', retryable: true, message: /does not answer/ });
    await assert.rejects(at('mongodb://root:canary-of-a-password@'), (error: Error) => {
      assert.match(error.message, /DB_MONGODB_ADMIN_URI is no MongoDB address/);
      assert.doesNotMatch(error.message, /canary/);
      return true;
    });
  });
});

function isRetryable(error: { retryable?: boolean; cause?: unknown }): void {
  assert.equal(error.retryable, true, String(error.cause));
}

const mongo = await startServiceMongo();
after(() => mongo.stop());

test('the stand-in is told apart from a server with users', {
  skip: mongo.hasUsers && 'a MongoDB runs here',
}, async () => {
  const server = createMongodbServer({ adminUri: mongo.adminUri });
  await assert.rejects(server.ensure(DATABASE, LOGIN, signal), { code: 'UNAVAILABLE', retryable: false });
  const listed = await server.list(signal);
  assert.ok(!listed.some(({ database }) => database === 'fairlead_backups'));
});

describe('databases on a real MongoDB', { skip: !mongo.hasUsers && NEEDS_USERS }, () => {
  databaseServerSuite('MongoDB', () => ({
    server: createMongodbServer({ adminUri: mongo.adminUri }),
    ownDatabases: ['admin', 'config', 'fairlead_backups'],
    connect: (database, login) => connectWorkload(database, login),
  }));

  it('while a restore replaces a database, neither its service nor another one reads or writes it', async () => {
    const server = createMongodbServer({ adminUri: mongo.adminUri });
    const database = mongo.fresh('closed');
    const logins = ['', '_aaaaaaaaaa'].map((key) => ({ user: `${database}${key}_a`, password: `of${key}` }));
    const [owner, other] = logins;
    assert.ok(owner !== undefined && other !== undefined);
    await server.ensure(database, owner, signal);
    await server.consumers?.admit(database, other, 'write', signal);
    const open = await Promise.all(logins.map((login) => connectWorkload(database, login)));
    for (const connection of open) await connection.write('before');
    await closeDatabase(mongo.client, database, always);
    for (const connection of open) {
      await assert.rejects(connection.read());
      await assert.rejects(connection.write('meanwhile'));
    }
    for (const login of logins) await assert.rejects(connectWorkload(database, login), login.user);
    await openDatabase(mongo.client, database, always);
    for (const connection of open) {
      assert.deepEqual(await connection.read(), ['before', 'before']);
      await connection.close();
    }
    await server.drop(database, signal);
  });
});

async function connectWorkload(database: string, login: DatabaseLogin): Promise<WorkloadConnection> {
  const [, host = ''] = /@([^/]+)/.exec(mongo.adminUri) ?? [];
  const credentials = `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}`;
  // As the address that a workload is given: it logs in to the database that the user was made in.
  const own = login.user.replace(/(_[a-z2-7]{10})?_[ab]$/, '');
  const client = new MongoClient(`mongodb://${credentials}@${host}/${own}?directConnection=true`);
  const notes = client.db(database).collection<{ value: string }>('notes');
  try {
    await notes.findOne({});
  } catch (error) {
    await client.close();
    throw error;
  }
  return {
    write: async (value) => void (await notes.insertOne({ value })),
    read: async () => (await notes.find().sort({ _id: 1 }).toArray()).map(({ value }) => value),
    close: () => client.close(),
  };
}
