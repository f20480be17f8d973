import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Db, MongoClient, type WriteConcernSettings } from 'mongodb';
import { type StandInProcess, startStandIn } from '../../../infra/dev/stand-in-process.ts';
import { toolPath } from '../../support/tool-path.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface Numbered {
  readonly _id: string;
  readonly n: number;
  readonly text: string;
}

const CLIENTS = 8;

/** All of these promise that the write is on the disk; without one the server's default holds, which is `majority`. */
const DURABLE: readonly WriteConcernSettings[] = [{ w: 'majority' }, { w: 1, j: true }, {}];

async function dataFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-stand-in-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'data.mv');
}

/** Runs the work on a stand-in over the file, then ends it in the given way unless the work has. */
async function on<T>(
  file: string,
  end: 'SIGTERM' | 'SIGKILL',
  work: (db: Db, server: StandInProcess, client: MongoClient) => Promise<T>,
): Promise<T> {
  const server = await startStandIn(await toolPath('mongo-stand-in'), file);
  const client = new MongoClient(server.address, {
    retryWrites: false,
    // A server that has just begun takes longer on a busy machine.
    serverSelectionTimeoutMS: 20_000,
  });
  try {
    return await work(client.db('test'), server, client);
  } finally {
    await server.kill(end);
    await client.close();
  }
}

const numbered = (db: Db) => db.collection<Numbered>('numbered');
const make = (n: number): Numbered => ({ _id: `d${n}`, n, text: 'x'.repeat(n % 500) });

/** Inserts from many clients until the server is gone, and notes the numbers whose insert was acknowledged. */
async function insertUntilGone(db: Db, acknowledged: number[]): Promise<void> {
  let next = 0;
  const client = async (): Promise<void> => {
    for (;;) {
      const n = next++;
      try {
        await numbered(db).insertOne(make(n), { writeConcern: DURABLE[n % DURABLE.length] ?? {} });
      } catch {
        return;
      }
      acknowledged.push(n);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Each document is found by each of its indexes and each index leads to a document. */
async function assertWhole(db: Db): Promise<Set<number>> {
  const all = await numbered(db).find().toArray();
  for (const document of all) {
    assert.deepEqual(document, make(document.n));
    assert.equal((await numbered(db).findOne({ _id: document._id }))?.n, document.n);
    assert.equal((await numbered(db).findOne({ n: document.n }))?._id, document._id);
    await assert.rejects(numbered(db).insertOne({ ...document, _id: `other${document.n}` }), { code: 11_000 });
  }
  const validated = await db.command({ validate: 'numbered' });
  for (const keys of Object.values(validated.keysPerIndex)) assert.equal(keys, all.length);
  return new Set(all.map(({ n }) => n));
}

test('every acknowledged insert is there after a SIGKILL, and every document in each of its indexes', async (t) => {
  const file = await dataFile(t);
  const acknowledged: number[] = [];
  await on(file, 'SIGKILL', async (db, server, client) => {
    await numbered(db).createIndex({ n: 1 }, { unique: true });
    const inserting = insertUntilGone(db, acknowledged);
    await waitUntil('the inserts to be under way', () => acknowledged.length > 500);
    await server.kill('SIGKILL');
    // Ends the writes that wait for another server, which does not come.
    await client.close();
    await inserting;
  });
  t.diagnostic(`${acknowledged.length} were acknowledged`);
  const kept = await on(file, 'SIGTERM', assertWhole);
  assert.deepEqual(
    acknowledged.filter((n) => !kept.has(n)),
    [],
  );
});

test('updates, removals and dropped collections are there after a SIGKILL', async (t) => {
  const file = await dataFile(t);
  await on(file, 'SIGKILL', async (db) => {
    await numbered(db).createIndex({ n: 1 }, { unique: true });
    await numbered(db).insertMany([make(1), make(2), make(3)]);
    await db.collection('gone').insertOne({ at: 1 });
  });
  await on(file, 'SIGKILL', async (db) => {
    await numbered(db).updateOne({ n: 1 }, { $set: { n: 10, text: 'x'.repeat(10) } });
    await numbered(db).deleteOne({ n: 2 });
    await numbered(db).findOneAndUpdate({ n: 4 }, { $set: { ...make(4) } }, { upsert: true });
    await db.collection('gone').drop();
  });
  await on(file, 'SIGTERM', async (db) => {
    const all = await numbered(db)
      .find({}, { projection: { _id: 1, n: 1 }, sort: { _id: 1 } })
      .toArray();
    assert.deepEqual(all, [
      { _id: 'd1', n: 10 },
      { _id: 'd3', n: 3 },
      { _id: 'd4', n: 4 },
    ]);
    assert.equal(await db.collection('gone').countDocuments(), 0);
    await numbered(db).insertMany([
      { ...make(1), _id: 'again' },
      { ...make(2), _id: 'twice' },
    ]);
    await assert.rejects(numbered(db).insertOne({ ...make(10), _id: 'taken' }), { code: 11_000 });
  });
});

test('ended in order it leaves the data file alone, and all is in it', async (t) => {
  const file = await dataFile(t);
  await on(file, 'SIGTERM', async (db) => {
    await numbered(db).createIndex({ n: 1 }, { unique: true });
    await numbered(db).insertMany(Array.from({ length: 500 }, (_, n) => make(n)));
  });
  assert.deepEqual(await readdir(dirname(file)), ['data.mv']);
  await on(file, 'SIGTERM', async (db) => assert.equal((await assertWhole(db)).size, 500));
});

test('more than a checkpoint of writes before a SIGKILL is all there', async (t) => {
  const file = await dataFile(t);
  const [documents, text] = [6_000, 'y'.repeat(4_000)];
  await on(file, 'SIGKILL', async (db) => {
    for (let n = 0; n < documents; n += 1_000) {
      const many = Array.from({ length: 1_000 }, (_, index) => ({ _id: `d${n + index}`, n: n + index, text }));
      await numbered(db).insertMany(many);
    }
  });
  assert.ok(
    (await journalsOf(file)).every((name) => !name.endsWith('-1')),
    'the first journal was done with',
  );
  await on(file, 'SIGTERM', async (db) => {
    assert.equal(await numbered(db).countDocuments(), documents);
    assert.equal((await numbered(db).findOne({ _id: `d${documents - 1}` }))?.text, text);
  });
});

test('a write that the kill cut off is not there, and does not hide what was before it', async (t) => {
  const file = await dataFile(t);
  await on(file, 'SIGKILL', async (db) => void (await numbered(db).insertOne(make(1))));
  const [journal = ''] = await journalsOf(file);
  await appendFile(join(dirname(file), journal), Buffer.from('000003e8deadbeef01', 'hex'));
  await on(file, 'SIGTERM', async (db) => assert.deepEqual(await numbered(db).find().toArray(), [make(1)]));
});

test('a data file of another format is refused with its name, and stays as it is', async (t) => {
  const file = await dataFile(t);
  await makeForeignFile(file);
  await assert.rejects(
    startStandIn(await toolPath('mongo-stand-in'), file),
    /data\.mv was written by another version of the stand-in: move it away/,
  );
  await assert.rejects(startStandIn(await toolPath('mongo-stand-in'), file), /move it away/);
});

async function journalsOf(file: string): Promise<readonly string[]> {
  return (await readdir(dirname(file))).filter((name) => name.includes('.journal-'));
}

/** A file of H2 as anything else writes it. */
async function makeForeignFile(file: string): Promise<void> {
  const source = join(dirname(file), 'Foreign.java');
  await writeFile(
    source,
    `public class Foreign { public static void main(String[] file) {
      try (org.h2.mvstore.MVStore store = org.h2.mvstore.MVStore.open(file[0])) { store.openMap("databases.a.b").put("k", "v"); } } }`,
  );
  const jars = join(dirname(await toolPath('mongo-stand-in')), 'lib', '*');
  const made = spawnSync('java', ['-cp', jars, source, file], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
}
