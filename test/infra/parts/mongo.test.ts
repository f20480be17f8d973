import assert from 'node:assert/strict';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { connectMongo } from '../../../adapters/mongo/connect.ts';
import { PART_ROWS } from '../../../infra/dev/parts.ts';
import { partVariables } from '../../../infra/dev/stack-parts.ts';
import { runPart, type TestPart } from './run-part.ts';

let part: TestPart;
before(async () => {
  part = await runPart('mongo');
});
after(() => part.stop());

async function addressOfProcesses(): Promise<string> {
  const { everyProcess } = await partVariables(
    PART_ROWS.filter(({ name }) => name === 'mongo'),
    { ...part.context, env: {} },
  );
  return everyProcess.MONGODB_URI ?? '';
}

test('the database answers the processes of the platform, after a restart as well', async () => {
  const uri = await addressOfProcesses();
  for (const round of [1, 2]) {
    const { db, close } = await connectMongo(uri, 'test');
    await db.collection('kept').insertOne({ round });
    assert.equal(await db.collection('kept').countDocuments(), round);
    assert.equal(db.databaseName, 'builder');
    await close();
    if (round === 1) await part.restart();
  }
});

test('without the password it gives no data, and the password is in no command line', async () => {
  const client = new MongoClient(`mongodb://127.0.0.1:${part.context.ports.mongo}/?directConnection=true`);
  try {
    await assert.rejects(client.db('builder').collection('kept').findOne(), { code: 13 });
    await assert.rejects(client.db('builder').collection('kept').insertOne({}), { code: 13 });
    await assert.rejects(client.db('admin').command({ listDatabases: 1 }), { code: 13 });
  } finally {
    await client.close();
  }
  assert.ok(!part.commandLine.includes(part.context.secret('MONGO_PASSWORD')));
});

test('its data is in a folder for its owner alone, also where that was open before', async () => {
  const folder = join(part.context.dataDir, 'mongo', 'mongo-stand-in');
  await chmod(folder, 0o755);
  await part.restart();
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});
