import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createMongodbServer } from '../../../adapters/mongodb-server/database-server.ts';
import { BACKUPS_DATABASE } from '../../../adapters/mongodb-server/own-databases.ts';
import { CONSUMER_ROLES, SERVICE_ROLE } from '../../../adapters/mongodb-server/service-role.ts';
import type { DumpTool } from '../../../domain/backups/ports.ts';
import { databaseUsers } from '../../../domain/databases/database-name.ts';
import { collect, restoreNames, stream } from '../../ports/dump-tool.ts';
import { type MongoCutter, startMongoCutter } from '../../support/mongo-cutter.ts';
import { type MongoUsers, startMongoUsers } from '../../support/mongo-users.ts';
import { type ServiceMongo, startServiceMongo } from '../../support/start-service-mongo.ts';

const patience = () => AbortSignal.timeout(60_000);
const isOver = { code: 'CONFLICT', retryable: true };

/** Users and roles are those of a script, the data is in the server. */
describe('who may use a MongoDB database that a restore replaces', { timeout: 240_000 }, () => {
  let mongo: ServiceMongo;
  let users: MongoUsers;
  let cutter: MongoCutter;
  let tool: DumpTool;
  /** Whose every command goes by the cutter. */
  let pausedTool: DumpTool;
  let archive: Buffer;
  let live: string;
  before(async () => {
    mongo = await startServiceMongo();
    users = await startMongoUsers(mongo.adminUri);
    cutter = await startMongoCutter(users.uri);
    tool = mongo.at(users.uri, { patienceMs: 50 }).dumpTool;
    pausedTool = mongo.at(cutter.uri, { patienceMs: 50 }).dumpTool;
  });
  beforeEach(async () => {
    live = mongo.fresh('live');
    const server = createMongodbServer({ adminUri: users.uri });
    await server.ensure(live, { user: databaseUsers(live)[0], password: 'of the service' }, patience());
    const other = { user: `${live}_aaaaaaaaaa_a`, password: 'of another one' };
    await server.consumers?.admit(live, other, 'write', patience());
    await mongo.client.db(live).collection('notes').insertOne({ value: 'one' });
    archive = (await tool.dump(live, collect, { signal: patience() })).stored;
  });
  after(async () => {
    await cutter.stop();
    await users.stop();
    await mongo.stop();
  });

  async function prepared() {
    const names = { live, ...restoreNames() };
    await tool.restoreInto({ from: live, scratch: names.scratch }, stream(archive), { signal: patience() });
    return names;
  }

  /** What the roles of the service and of the other one let their users do: nothing, when they are closed. */
  const access = () =>
    [SERVICE_ROLE, CONSUMER_ROLES.write].map((role) => {
      const { roles, privileges } = users.roles.get(`${live}.${role}`) ?? {};
      return [(roles as readonly { role: string }[]).map(({ role: name }) => name), (privileges as []).length];
    });
  const OPEN = [
    [['readWrite'], 1],
    [['read'], 1],
  ];
  const CLOSED = [
    [[], 0],
    [[], 0],
  ];
  const rolesLeft = () => [...users.roles.keys()].filter((key) => key.startsWith(live) && key.includes('gate'));

  it('nobody while it is replaced, and all of them afterwards', async () => {
    const names = await prepared();
    const held = cutter.hold('dropDatabase', live);
    const swapped = pausedTool.swap(names, { signal: patience() });
    await held.came;
    assert.deepEqual(access(), CLOSED);
    held.letGo();
    await swapped;
    assert.deepEqual([access(), rolesLeft()], [OPEN, []]);
    await tool.drop(names.kept);
  });

  for (const write of [1, 2]) {
    it(`all of them, although a worker goes on that was paused before its write ${write} that closes it`, async () => {
      const names = await prepared();
      const held = cutter.hold('updateRole', live, write);
      const late = pausedTool.swap(names, { signal: patience() });
      await held.came;
      await tool.swap(names, { signal: patience() });
      assert.deepEqual(access(), OPEN);
      held.letGo();
      await assert.rejects(late, isOver);
      assert.deepEqual([access(), rolesLeft()], [OPEN, []]);
      await tool.drop(names.kept);
    });
  }

  it('all of them, although a worker goes on that was paused before a restore in place', async () => {
    const held = cutter.hold('updateRole', live);
    const late = pausedTool.restoreInPlace(live, stream(archive), { signal: patience() });
    await held.came;
    await tool.restoreInPlace(live, stream(archive), { signal: patience() });
    held.letGo();
    await assert.rejects(late, isOver);
    assert.deepEqual([access(), rolesLeft()], [OPEN, []]);
  });

  it('nobody while it is replaced, although a worker goes on that was paused before it opened it', async () => {
    const [earlier, later] = [await prepared(), await prepared()];
    const opening = cutter.hold('updateRole', live, 3);
    const late = pausedTool.swap(earlier, { signal: patience() });
    await opening.came;
    const replacing = cutter.hold('dropDatabase', live);
    const swapped = pausedTool.swap(later, { signal: patience() });
    await replacing.came;
    opening.letGo();
    await assert.rejects(late, isOver);
    assert.deepEqual(access(), CLOSED);
    replacing.letGo();
    await swapped;
    assert.deepEqual([access(), rolesLeft()], [OPEN, []]);
    await tool.swap(earlier, { signal: patience() });
    assert.deepEqual(access(), OPEN);
    for (const { kept } of [earlier, later]) await tool.drop(kept);
  });

  const valuesOf = async (database: string) => {
    const found = await mongo.client.db(database).collection('notes').find().toArray();
    return found.map(({ value }) => String(value)).sort();
  };
  const write = (value: string) => mongo.client.db(live).collection('notes').insertOne({ value });
  const restorersLeft = () => [...users.users.keys()].filter((key) => key.startsWith('fairlead_backups.'));

  for (const what of ['live', 'kept'] as const) {
    it(`nobody whose restore others went on with: paused before it empties what is ${what}, it empties nothing`, async () => {
      const names = await prepared();
      await write('two');
      const held = cutter.hold('dropDatabase', names[what]);
      const late = pausedTool.swap(names, { signal: patience() });
      await held.came;
      await tool.swap(names, { signal: patience() });
      await write('since');
      held.letGo();
      await assert.rejects(late, isOver);
      assert.deepEqual(await valuesOf(live), ['one', 'since']);
      assert.deepEqual(await valuesOf(names.kept), ['one', 'two']);
      assert.deepEqual([access(), restorersLeft()], [OPEN, []]);
      await tool.drop(names.kept);
    });
  }

  it('who restores, although a worker goes on that was paused before it looks for those that restored before', async () => {
    const names = await prepared();
    const looking = cutter.hold('usersInfo', BACKUPS_DATABASE);
    const late = pausedTool.swap(names, { signal: patience() });
    await looking.came;
    const replacing = cutter.hold('dropDatabase', names.kept);
    const swapped = pausedTool.swap(names, { signal: patience() });
    await replacing.came;
    looking.letGo();
    await assert.rejects(late, isOver);
    replacing.letGo();
    await swapped;
    assert.deepEqual([access(), restorersLeft()], [OPEN, []]);
    await tool.drop(names.kept);
  });

  it('who restores in place, although a worker goes on that was paused before such a look', async () => {
    const looking = cutter.hold('usersInfo', BACKUPS_DATABASE);
    const late = pausedTool.restoreInPlace(live, stream(archive), { signal: patience() });
    await looking.came;
    const replacing = cutter.hold('drop', live);
    const restored = pausedTool.restoreInPlace(live, stream(archive), { signal: patience() });
    await replacing.came;
    looking.letGo();
    await assert.rejects(late, isOver);
    replacing.letGo();
    await restored;
    assert.deepEqual([await valuesOf(live), access(), restorersLeft()], [['one'], OPEN, []]);
  });

  it('nobody who was undoing a restore that others begin anew: paused before it drops the copy, it drops nothing', async () => {
    const names = await prepared();
    const killed = new AbortController();
    const dropping = cutter.hold('dropDatabase', names.kept);
    const broken = assert.rejects(pausedTool.swap(names, { signal: killed.signal }));
    await dropping.came;
    killed.abort(new Error('killed'));
    await broken;
    const held = cutter.hold('dropDatabase', names.kept);
    const late = pausedTool.reopen(live, { signal: patience() });
    await held.came;
    await tool.swap(names, { signal: patience() });
    held.letGo();
    await assert.rejects(late, isOver);
    assert.deepEqual(await valuesOf(names.kept), ['one']);
    assert.deepEqual([access(), restorersLeft()], [OPEN, []]);
    await tool.drop(names.kept);
  });

  it('nobody whose restore in place others went on with: paused before it drops a collection, it changes nothing', async () => {
    const held = cutter.hold('drop', live);
    const late = pausedTool.restoreInPlace(live, stream(archive), { signal: patience() });
    await held.came;
    await tool.restoreInPlace(live, stream(archive), { signal: patience() });
    await write('since');
    held.letGo();
    await assert.rejects(late, isOver);
    assert.deepEqual(await valuesOf(live), ['one', 'since']);
    assert.deepEqual([access(), restorersLeft()], [OPEN, []]);
  });
});
