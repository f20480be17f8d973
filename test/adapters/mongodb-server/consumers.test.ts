import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { closeDatabase, openDatabase } from '../../../adapters/mongodb-server/close-database.ts';
import { createMongodbServer } from '../../../adapters/mongodb-server/database-server.ts';
import { CONSUMER_ROLES } from '../../../adapters/mongodb-server/service-role.ts';
import { withAdmin } from '../../../adapters/mongodb-server/with-admin.ts';
import type { DatabaseAccessKind } from '../../../domain/catalog/catalog.ts';
import type { ConsumerLogins } from '../../../domain/databases/ports.ts';
import { type ScriptedMongo, startScriptedMongo } from '../../support/scripted-mongo.ts';
import { createScriptedUsers, type ScriptedUsers } from '../../support/scripted-users.ts';
import { waitUntil } from '../../support/wait-until.ts';

const signal = new AbortController().signal;
const DATABASE = 'shop_prod';
const OWNER = { user: 'shop_prod_a', password: 'of the owner' };
const OTHER = { user: 'shop_prod_aaaaaaaaaa_a', password: 'of another service' };
const CLOSED = { roles: [], privileges: [] };
const OPEN: Readonly<Record<DatabaseAccessKind, object>> = {
  read: { roles: [{ role: 'read', db: DATABASE }], privileges: [] },
  write: {
    roles: [{ role: 'read', db: DATABASE }],
    privileges: [{ resource: { db: DATABASE, collection: '' }, actions: ['insert', 'update', 'remove'] }],
  },
};

/** What is told to a server whose answers are those of MongoDB's manual; nobody logs in to it. */
describe('users of other services in a MongoDB database, by its commands', () => {
  let users: ScriptedUsers;
  let scripted: ScriptedMongo;
  before(async () => {
    scripted = await startScriptedMongo((command) => users.answer(command));
  });
  after(() => scripted.close());
  beforeEach(async () => {
    users = createScriptedUsers();
    await server().ensure(DATABASE, OWNER, signal);
  });

  const server = (patienceMs = 100) => createMongodbServer({ adminUri: scripted.uri, patienceMs });
  function logins(patienceMs?: number): ConsumerLogins {
    const { consumers } = server(patienceMs);
    if (consumers === undefined) throw new Error('no logins of others');
    return consumers;
  }
  const admit = (access: DatabaseAccessKind = 'read', isMeant?: () => Promise<boolean>) =>
    logins().admit(DATABASE, OTHER, access, signal, isMeant);
  const dismiss = (isMeant?: () => Promise<boolean>) => logins().dismiss(DATABASE, [OTHER.user], signal, isMeant);
  const rolesOf = (user: string) => users.users.get(`${DATABASE}.${user}`)?.roles;
  const bodyOf = (role: string) => {
    const { roles, privileges } = users.roles.get(`${DATABASE}.${role}`) ?? {};
    return { roles, privileges };
  };
  const gates = () => [...users.roles.keys()].filter((key) => key.includes('gate'));
  const atServer = (work: typeof closeDatabase) =>
    withAdmin(scripted.uri, signal, (client) => work(client, DATABASE, { signal, isMeant: async () => true }));

  for (const access of ['read', 'write'] as const) {
    it(`one that may ${access} has a role for that in this database alone, and nothing else`, async () => {
      await admit(access);
      const role = CONSUMER_ROLES[access];
      assert.deepEqual(rolesOf(OTHER.user), [{ role, db: DATABASE }]);
      assert.deepEqual(bodyOf(role), OPEN[access]);
      assert.deepEqual(gates(), []);
      await admit(access);
      assert.deepEqual([...users.users.keys()], [`${DATABASE}.${OWNER.user}`, `${DATABASE}.${OTHER.user}`]);
      await dismiss();
      await dismiss();
      assert.deepEqual([...users.users.keys()], [`${DATABASE}.${OWNER.user}`]);
      assert.equal(users.asked.at(-2), 'killAllSessions');
    });
  }

  it('are kept out while a restore replaces the database, also who is let in meanwhile', async () => {
    await admit('read');
    await atServer(closeDatabase);
    await logins().admit(DATABASE, { ...OTHER, user: 'shop_prod_bbbbbbbbbb_a' }, 'write', signal);
    for (const role of Object.values(CONSUMER_ROLES)) assert.deepEqual(bodyOf(role), CLOSED, role);
    await atServer(openDatabase);
    assert.deepEqual([bodyOf(CONSUMER_ROLES.read), bodyOf(CONSUMER_ROLES.write)], [OPEN.read, OPEN.write]);
  });

  it('are kept out by a restore that begins while the first one is let in', async () => {
    // It closes what is there: the role of others is made in the same moment.
    users.meanwhile.set('createRole', () => {
      users.meanwhile.set('rolesInfo', () => {
        users.roles.set(`${DATABASE}.fairlead_service`, { role: 'fairlead_service', ...CLOSED });
      });
    });
    await admit('read', async () => true);
    assert.deepEqual(bodyOf(CONSUMER_ROLES.read), CLOSED);
  });

  it('one call at a time lets somebody in or takes somebody away; one that is no longer meant does nothing', async () => {
    const asked: string[] = [];
    let dismissing: Promise<void> | undefined;
    await logins(60_000).admit(DATABASE, OTHER, 'read', signal, async () => {
      asked.push('admit');
      users.asked.length = 0;
      dismissing = logins(60_000).dismiss(DATABASE, [OTHER.user], signal, async () => asked.push('dismiss') > 0);
      await waitUntil('it waits', () => users.asked.filter((name) => name === 'rolesInfo').length > 2);
      assert.deepEqual(asked, ['admit'], 'nobody is dismissed meanwhile');
      return true;
    });
    await dismissing;
    assert.deepEqual([asked, rolesOf(OTHER.user)], [['admit', 'dismiss'], undefined]);
    await admit('read', async () => false);
    assert.equal(rolesOf(OTHER.user), undefined);
    await admit();
    await dismiss(async () => false);
    assert.notEqual(rolesOf(OTHER.user), undefined);
  });

  it('a call that was paused, and goes on when its turn is over, lets nobody in and takes nobody away', async () => {
    const isOver = { code: 'CONFLICT', retryable: true };
    const late = admit('write', async () => {
      await dismiss();
      return true;
    });
    await assert.rejects(late, isOver);
    assert.equal(rolesOf(OTHER.user), undefined);
    await admit('read');
    const lateEnd = dismiss(async () => {
      await admit('read');
      return true;
    });
    await assert.rejects(lateEnd, isOver);
    assert.deepEqual(rolesOf(OTHER.user), [{ role: CONSUMER_ROLES.read, db: DATABASE }]);
    assert.deepEqual(gates(), []);
  });

  it('of six at once each is let in, and none leaves anything', async () => {
    const names = Array.from({ length: 6 }, (_, at) => `shop_prod_${'abcdef'[at]?.repeat(10)}_a`);
    await Promise.all(names.map((user) => logins(60_000).admit(DATABASE, { user, password: 'one' }, 'write', signal)));
    for (const user of names) assert.deepEqual(rolesOf(user), [{ role: CONSUMER_ROLES.write, db: DATABASE }], user);
    assert.deepEqual(gates(), []);
  });

  it('killed after any command, the next call ends what it began', async () => {
    await admit();
    await dismiss();
    const names = [...new Set(users.asked)];
    assert.ok(names.length > 6, names.join(', '));
    const stops = { ok: 0, code: 91, codeName: 'ShutdownInProgress', errmsg: 'stops' };
    for (const name of names) {
      for (const [call, expected] of [
        [admit, 1],
        [dismiss, 0],
      ] as const) {
        users.faults.set(name, stops);
        await call().catch((error) => assert.equal(error.retryable, true, String(error.cause)));
        users.faults.clear();
        await call();
        assert.equal([...users.users.keys()].filter((key) => key.includes(OTHER.user)).length, expected, name);
        assert.deepEqual(gates(), [], name);
      }
    }
  });

  it('no user of the owner, of another database or of the server is let in or taken away', async () => {
    for (const user of [OWNER.user, 'admin', DATABASE, 'shop_prod_aaaaaaaaaa', 'x_aaaaaaaaaa_a']) {
      await assert.rejects(logins().admit(DATABASE, { user, password: 'stolen' }, 'write', signal), RangeError, user);
      await assert.rejects(logins().dismiss(DATABASE, [user], signal), RangeError, user);
    }
    await assert.rejects(server().ensure(DATABASE, OTHER, signal), RangeError);
    users.users.set(`${DATABASE}.${OTHER.user}`, { user: OTHER.user, roles: ['root'] });
    await assert.rejects(admit(), { code: 'CONFLICT', retryable: false });
    await assert.rejects(dismiss(), { code: 'CONFLICT', retryable: false });
    assert.deepEqual(rolesOf(OTHER.user), ['root']);
  });

  it('go with the database, which is dropped although they are there', async () => {
    await admit('write');
    await server().drop(DATABASE, signal);
    assert.deepEqual([users.users.size, users.roles.size], [0, 0]);
    await assert.rejects(admit(), { code: 'UNAVAILABLE', retryable: true });
    assert.deepEqual([users.users.size, users.roles.size], [0, 0]);
    await server().ensure(DATABASE, OWNER, signal);
    assert.deepEqual([...users.users.keys()], [`${DATABASE}.${OWNER.user}`]);
  });
});
