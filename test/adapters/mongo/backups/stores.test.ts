import { after, before } from 'node:test';
import { createBackupStore } from '../../../../adapters/mongo/backups/backups.ts';
import { createRestoreStore } from '../../../../adapters/mongo/backups/restores.ts';
import { createBuilderIndexes } from '../../../../adapters/mongo/builder-database.ts';
import { backupStoreSuite, restoreStoreSuite } from '../../../ports/backup-stores.ts';
import { startMongo, type TestMongo } from '../../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
  await createBuilderIndexes(mongo.connection.db);
});
after(() => mongo.stop());

const deps = () => ({ db: mongo.connection.db, now: () => new Date() });

backupStoreSuite(() => createBackupStore(deps()));
restoreStoreSuite(() => createRestoreStore(deps()));
