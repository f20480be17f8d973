import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createArchiveReader } from '../../../adapters/dump-tools/mongo-archive.ts';
import { createMongoDumpTool } from '../../../adapters/dump-tools/mongo-dump-tool.ts';
import { createMongoTools, namespacesOf } from '../../../adapters/dump-tools/mongo-tools.ts';
import type { DumpTool } from '../../../domain/backups/ports.ts';
import { collect, dumpProgramSuite, dumpToolSuite, restoreNames, stream } from '../../ports/dump-tool.ts';
import { type ArchivedCollection, mongoArchive } from '../../support/mongo-archive.ts';
import { startMongoCutter } from '../../support/mongo-cutter.ts';
import { type ServiceMongo, startServiceMongo } from '../../support/start-service-mongo.ts';

const patience = () => AbortSignal.timeout(60_000);

let mongo: ServiceMongo;
let tool: DumpTool;
before(async () => {
  mongo = await startServiceMongo();
  tool = mongo.dumpTool;
});
after(() => mongo.stop());

const notes = (database: string) => mongo.client.db(database).collection<{ _id: number; value: string }>('notes');

async function write(database: string, value: string): Promise<void> {
  await notes(database).insertOne({ _id: await notes(database).countDocuments(), value });
}

async function read(database: string): Promise<readonly string[]> {
  const found = await notes(database).find().sort({ _id: 1 }).toArray();
  return found.map(({ value }) => value);
}

async function dump(database: string) {
  const { stored, figures } = await tool.dump(database, collect, { signal: patience() });
  return { archive: stored, figures };
}

/** What a crafted archive must not change: what the server knows of its users, and another service's database. */
async function outside(victim: string) {
  const contents = async (db: string, collection: string) =>
    [db, collection, await mongo.client.db(db).collection(collection).find().toArray()] as const;
  const collections = await mongo.client.db(victim).listCollections().toArray();
  // The stand-in has no collections in `admin`, and refuses to look.
  const kept = mongo.hasUsers ? ['system.users', 'system.roles'] : [];
  return await Promise.all([
    ...kept.map((name) => contents('admin', name)),
    ...collections.map(({ name }) => contents(victim, name)),
  ]);
}

const underTest = () => ({
  ...{ tool, write, read, fresh: mongo.fresh, password: mongo.password },
  clear: async (database: string) => void (await notes(database).deleteMany({})),
  remove: async (database: string) => void (await mongo.client.db(database).dropDatabase()),
});
dumpToolSuite('MongoDB', underTest);
dumpProgramSuite('MongoDB', underTest);

describe('MongoDB is dumped and restored', { timeout: 240_000 }, () => {
  it('with every collection and index as it was, also where it is kept', async () => {
    const live = mongo.fresh('shop');
    const db = mongo.client.db(live);
    await db.createCollection('empty');
    await db.collection('people').insertMany([
      { _id: 1 as never, mail: 'a@example.com', seen: new Date(5), amount: 1.5, tags: ['x', null], name: 'Ω 語' },
      { _id: 2 as never, mail: 'b@example.com', bytes: Buffer.from([0, 255]) },
    ]);
    await db.collection('people').createIndex({ mail: 1 }, { unique: true, name: 'mail' });
    await db.collection('with.dots').insertOne({ deep: { er: [1, 2] } });
    const was = await db.collection('people').find().sort({ _id: 1 }).toArray();
    const { archive, figures } = await dump(live);
    assert.deepEqual(figures, {
      ...{ empty: 0, 'empty.$indexes': 1, people: 2, 'people.$indexes': 2 },
      ...{ 'with.dots': 1, 'with.dots.$indexes': 1 },
    });
    assert.deepEqual(gunzipSync(archive).subarray(0, 4), Buffer.from([0x6d, 0xe2, 0x99, 0x81]));
    await db.collection('people').deleteOne({ _id: 1 as never });
    await db.collection('newer').insertOne({ text: 'after' });
    const { scratch, kept } = restoreNames();
    await tool.restoreInto({ from: live, scratch }, stream(archive), { signal: patience() });
    await tool.swap({ live, scratch, kept }, { signal: patience() });
    assert.deepEqual(await tool.figures(live, patience()), figures, 'collections that are newer are not in it');
    assert.deepEqual(await db.collection('people').find().sort({ _id: 1 }).toArray(), was);
    await assert.rejects(db.collection('people').insertOne({ mail: 'a@example.com' }), { code: 11_000 });
    assert.deepEqual(await tool.figures(kept, patience()), {
      ...{ empty: 0, 'empty.$indexes': 1, people: 1, 'people.$indexes': 2, newer: 1, 'newer.$indexes': 1 },
      ...{ 'with.dots': 1, 'with.dots.$indexes': 1 },
    });
    const { databases } = await mongo.client.db('admin').admin().listDatabases();
    assert.ok(!databases.some(({ name }) => name === scratch));
    await tool.drop(kept);
  });

  it('in place, over its own collections, and those that are newer stay', async () => {
    const live = mongo.fresh('shop');
    await write(live, 'one');
    const { archive } = await dump(live);
    await write(live, 'two');
    await mongo.client.db(live).collection('newer').insertOne({ text: 'after' });
    await tool.restoreInPlace(live, stream(archive), { signal: patience() });
    assert.deepEqual(await read(live), ['one']);
    assert.equal(await mongo.client.db(live).collection('newer').countDocuments(), 1);
  });

  it('also when the server deletes documents that have expired, before they are counted', async () => {
    const live = mongo.fresh('shop');
    const sessions = mongo.client.db(live).collection('sessions');
    // Far from expiring: the test deletes what the server would.
    await sessions.insertMany([{ seen: new Date() }, { seen: new Date() }]);
    await sessions.createIndex({ seen: 1 }, { expireAfterSeconds: 86_400 });
    await write(live, 'stays');
    const { archive, figures } = await dump(live);
    assert.deepEqual(figures, { notes: 1, 'notes.$indexes': 1, 'sessions.$indexes': 2 });
    const { scratch, kept } = restoreNames();
    await tool.restoreInto({ from: live, scratch }, stream(archive), { signal: patience() });
    await mongo.client.db(scratch).collection('sessions').deleteOne({});
    assert.deepEqual(await tool.figures(scratch, patience()), figures);
    await tool.swap({ live, scratch, kept }, { signal: patience() });
    assert.equal(await sessions.countDocuments(), 1);
    await tool.drop(kept);
  });

  it('with documents that are older than the rules of their collection', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-tools-'));
    try {
      const says = `#!/bin/sh\nprintf 'now\\tFailed: %s\\n' "$*" >&2\nexit 1\n`;
      await writeFile(join(folder, 'mongorestore'), says, { mode: 0o755 });
      const { restore } = createMongoTools({
        adminUri: mongo.adminUri,
        toolsDir: folder,
        env: { PATH: '/usr/bin:/bin' },
      });
      await assert.rejects(restore([], stream(mongoArchive([])), patience()), {
        message: /--bypassDocumentValidation/,
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('a collection that was dropped while it was dumped is restored empty, as the figures say', async () => {
    const live = mongo.fresh('shop');
    const archive = mongoArchive([{ db: live, collection: 'gone', isDescribed: false }]);
    const reader = createArchiveReader(live);
    reader.write(archive);
    const figures = reader.end();
    assert.deepEqual(figures, { gone: 0, 'gone.$indexes': 1 });
    const { scratch } = restoreNames();
    await tool.restoreInto({ from: live, scratch }, stream(gzipSync(archive)), { signal: patience() });
    assert.deepEqual(await tool.figures(scratch, patience()), figures);
    await tool.drop(scratch);
  });

  it('a database that has nothing yet', async () => {
    const live = mongo.fresh('shop');
    const { archive, figures } = await dump(live);
    assert.deepEqual(figures, {});
    await write(live, 'after');
    const { scratch, kept } = restoreNames();
    await tool.restoreInto({ from: live, scratch }, stream(archive), { signal: patience() });
    assert.deepEqual(await tool.figures(scratch, patience()), {});
    await tool.swap({ live, scratch, kept }, { signal: patience() });
    assert.deepEqual([await read(live), await read(kept)], [[], ['after']]);
    await tool.drop(kept);
  });

  const thief = { _id: 'thief', user: 'thief', db: 'admin', roles: [{ role: 'root', db: 'admin' }] };
  const attacks: readonly (readonly [what: string, (victim: string, own: string) => readonly ArchivedCollection[]])[] =
    [
      ['a user of the server', () => [{ db: 'admin', collection: 'system.users', documents: [thief] }]],
      ['a role of the server', () => [{ db: 'admin', collection: 'system.roles', documents: [thief] }]],
      ['documents of another database', (db) => [{ db, collection: 'notes', documents: [{ _id: 'theirs' }] }]],
      [
        'a user, as a dump of one database names it',
        (_, db) => [{ db, collection: '$admin.system.users', documents: [thief] }],
      ],
    ];
  for (const [what, crafted] of attacks) {
    for (const isAnnounced of [true, false]) {
      it(`an archive that holds ${what}${isAnnounced ? '' : ' unannounced'} changes nothing outside its own database`, async () => {
        const [live, victim] = [mongo.fresh('evil'), mongo.fresh('bank')];
        await write(live, 'mine');
        await write(victim, 'private');
        const parts = crafted(victim, live).map((each) => ({ ...each, isAnnounced }));
        const harmless = { db: live, collection: 'notes', documents: [{ _id: 1, value: 'restored' }], indexes: [] };
        const archive = mongoArchive([harmless, ...parts]);
        const { scratch } = restoreNames();
        const before = await outside(victim);
        const into = tool.restoreInto({ from: live, scratch }, stream(gzipSync(archive)), { signal: patience() });
        await assert.rejects(into, { code: 'RESTORE_FAILED', message: /^The archive cannot be restored: it holds / });
        await tool.drop(scratch);
        const inPlace = tool.restoreInPlace(live, stream(gzipSync(archive)), { signal: patience() });
        await assert.rejects(inPlace, { code: 'RESTORE_FAILED' });
        // The tool alone, without what reads the archive before: its names are bounded as well.
        const include = `--nsInclude=${namespacesOf(live)}`;
        await mongo.tools.restore(['--drop', include], stream(archive), patience()).catch(() => undefined);
        assert.deepEqual(await outside(victim), before);
        assert.deepEqual(await read(victim), ['private']);
      });
    }
  }

  it('an error tells what the program says on one line, and no value of a document', async () => {
    const live = mongo.fresh('shop');
    const twice = [
      { _id: 1, mail: 'person@example.com' },
      { _id: 2, mail: 'person@example.com' },
    ];
    const unique = { v: 2, key: { mail: 1 }, name: 'mail', unique: true };
    const indexes = [{ v: 2, key: { _id: 1 }, name: '_id_' }, unique];
    const archive = mongoArchive([{ db: live, collection: 'people', documents: twice, indexes }]);
    const { scratch } = restoreNames();
    await assert.rejects(
      tool.restoreInto({ from: live, scratch }, stream(gzipSync(archive)), { signal: patience() }),
      ({ code, message }: { code: string; message: string }) => {
        assert.equal(code, 'RESTORE_FAILED');
        assert.match(message, /^mongorestore ended with 1: .*people.*/);
        assert.doesNotMatch(message, /person@example|\n/);
        return true;
      },
    );
    await tool.drop(scratch);
  });

  it('a tool that is not there, and a server that is not there, are told apart', async () => {
    const env = { PATH: '' };
    const signal = patience();
    const withoutTool = createMongoDumpTool({ adminUri: mongo.adminUri, toolsDir: '/nowhere', env });
    await assert.rejects(withoutTool.dump(mongo.fresh('shop'), collect, { signal }), {
      code: 'DUMP_TOOL_MISSING',
      message: /^mongodump is not installed where the worker runs/,
    });
    const away = mongo.at('mongodb://fairlead:secret@127.0.0.1:1/?serverSelectionTimeoutMS=300');
    await assert.rejects(away.dumpTool.dump('shop_prod', collect, { signal }), {
      code: 'UNAVAILABLE',
      retryable: true,
    });
    await assert.rejects(away.dumpTool.figures('shop', signal), { code: 'UNAVAILABLE', retryable: true });
  });

  it('a dump whose server goes away on the way is refused to whoever stores it', async () => {
    const live = mongo.fresh('shop');
    const text = randomBytes(6_000).toString('base64');
    const many = Array.from({ length: 1_000 }, (_, _id) => ({ _id, value: `${_id} ${text}` }));
    await notes(live).insertMany(many);
    const cutter = await startMongoCutter(mongo.adminUri);
    try {
      let isStored = false;
      // In the middle of what the server answers.
      cutter.cutClients(['mongodump'], 4_000_000);
      const dumping = mongo.at(cutter.uri, { selectionSeconds: 2 }).dumpTool.dump(
        live,
        async (archive) => {
          await collect(archive);
          isStored = true;
        },
        { signal: AbortSignal.timeout(120_000) },
      );
      await assert.rejects(dumping, { code: 'DUMP_FAILED', message: /^mongodump ended with 1: / });
      assert.equal(isStored, false);
    } finally {
      await cutter.stop();
    }
  });

  it('a password that is refused is not shown', async () => {
    const uri = mongo.adminUri.replace(mongo.password, 'a-secret-that-is-wrong');
    const { tools, dumpTool } = mongo.at(uri);
    const refused = tools.dump(['--db=shop_prod'], collect, patience());
    await assert.rejects(refused, ({ code, message }: { code: string; message: string }) => {
      assert.equal(code, 'DUMP_FAILED');
      assert.match(message, /^mongodump ended with 1: .*(connect|auth)/);
      assert.doesNotMatch(message, /a-secret-that-is-wrong/);
      return true;
    });
    await assert.rejects(dumpTool.figures('shop_prod', patience()), {
      code: 'UNAVAILABLE',
      retryable: false,
      message: /refuses the credentials of DB_MONGODB_ADMIN_URI/,
    });
  });
});
