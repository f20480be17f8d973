import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { createCustomDomainStore } from '../../../adapters/mongo/custom-domains/domains.ts';
import { startMongo } from '../../support/start-mongo.ts';

const mongo = await startMongo();
after(() => mongo.stop());

test('lists of names are confirmed by a majority: a member that was cut off leaves out no name of a certificate', async (t) => {
  const client = new MongoClient(mongo.uri, { monitorCommands: true });
  t.after(() => client.close());
  const asked: string[] = [];
  client.on('commandStarted', ({ command }: CommandStartedEvent) => {
    if (command.find !== undefined) asked.push(command.readConcern?.level ?? 'local');
  });
  const store = createCustomDomainStore({ db: client.db('fairlead-confirmed') });
  await store.list({}, { cursor: null, limit: 5 });
  assert.ok(asked.includes('linearizable'), asked.join());
  asked.length = 0;
  assert.equal(await store.usesZone('none.com'), false);
  assert.ok(asked.includes('linearizable'), asked.join());
});
