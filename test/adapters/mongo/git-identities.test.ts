import { after, before } from 'node:test';
import { createBuilderIndexes } from '../../../adapters/mongo/builder-database.ts';
import { createGitIdentityStore } from '../../../adapters/mongo/git-identities/identities.ts';
import { gitIdentityStoreSuite } from '../../ports/git-identity-store.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
  await createBuilderIndexes(mongo.connection.db);
});
after(() => mongo.stop());

gitIdentityStoreSuite(async () => {
  const { db } = mongo.connection;
  await db.collection('git_identities').deleteMany({});
  return createGitIdentityStore({ db });
});
