import { after, before } from 'node:test';
import { createBuilderIndexes } from '../../../adapters/mongo/builder-database.ts';
import { createGitConnectionStore } from '../../../adapters/mongo/git-hooks/connections.ts';
import { createGitDeliveryStore } from '../../../adapters/mongo/git-hooks/deliveries.ts';
import { createHeadStore } from '../../../adapters/mongo/git-hooks/heads.ts';
import { gitConnectionStoreSuite, gitDeliveryStoreSuite, headStoreSuite } from '../../ports/git-hooks/stores.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
  await createBuilderIndexes(mongo.connection.db);
});
after(() => mongo.stop());

const db = () => mongo.connection.db;

gitConnectionStoreSuite(() => createGitConnectionStore({ db: db() }));
gitDeliveryStoreSuite((now) => createGitDeliveryStore({ db: db(), now }));
headStoreSuite(() => createHeadStore({ db: db() }));
