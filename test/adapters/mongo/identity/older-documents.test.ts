import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createIdentityIndexes, createIdentityStores } from '../../../../adapters/mongo/identity-database.ts';
import { userRecord } from '../../../ports/identity/records.ts';
import { startMongo } from '../../../support/start-mongo.ts';

const mongo = await startMongo();
after(() => mongo.stop());
const { db } = mongo.connection;
await createIdentityIndexes(db);
const stores = createIdentityStores({ db, now: () => new Date() });

test('a person who was stored before passwords had versions has the first one, and can set the next', async () => {
  await stores.users.insert(userRecord({ id: 'usr_old' }));
  await db
    .collection('users')
    .updateOne({ email: 'usr_old@example.test' }, { $unset: { passwordVersion: '', endingLogins: '' } });
  assert.equal((await stores.users.find('usr_old'))?.passwordVersion, 0);
  assert.equal((await stores.users.find('usr_old'))?.endingLogins, null);
  assert.equal(await stores.users.setPassword('usr_old', 1, 'wrong'), false);
  assert.equal(await stores.users.setPassword('usr_old', 0, 'right'), true);
  const { passwordHash, passwordVersion } = (await stores.users.find('usr_old')) ?? {};
  assert.deepEqual([passwordHash, passwordVersion], ['right', 1]);
});
