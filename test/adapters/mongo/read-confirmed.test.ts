import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { readAllConfirmed } from '../../../adapters/mongo/read-confirmed.ts';
import { startMongo } from '../../support/start-mongo.ts';

const mongo = await startMongo();
const client = new MongoClient(mongo.uri, { monitorCommands: true });
after(async () => {
  await client.close();
  await mongo.stop();
});

test('a list that is confirmed is what a majority has, of a member that is the primary afterwards', async () => {
  const asked: string[] = [];
  client.on('commandStarted', ({ command }: CommandStartedEvent) => {
    if (command.find !== undefined) asked.push(command.readConcern?.level ?? 'local');
  });
  const collection = client.db('fairlead-confirmed-lists').collection<{ _id: string }>('lists');
  for (const ids of [[], ['a', 'b']]) {
    if (ids.length > 0) await collection.insertMany(ids.map((_id) => ({ _id })));
    asked.length = 0;
    assert.deepEqual(
      await readAllConfirmed(collection, {}),
      ids.map((_id) => ({ _id })),
    );
    assert.deepEqual(asked, ['majority', 'linearizable']);
  }
});
