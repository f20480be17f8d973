import { after, before, describe } from 'node:test';
import { COLLECTIONS } from '../../../../adapters/mongo/platform-backup/indexes.ts';
import { createPlatformBackupStore } from '../../../../adapters/mongo/platform-backup/records.ts';
import { platformBackupStoreSuite } from '../../../ports/platform-backup-store.ts';
import { startMongo, type TestMongo } from '../../../support/start-mongo.ts';

describe('records of backups of the platform in MongoDB', () => {
  let mongo: TestMongo;
  before(async () => {
    mongo = await startMongo();
  });
  after(() => mongo.stop());

  platformBackupStoreSuite(async () => {
    const { db } = mongo.connection;
    await db.collection(COLLECTIONS.platformBackups).deleteMany({});
    return createPlatformBackupStore({ db, now: () => new Date('2026-05-05T00:00:00.000Z') });
  });
});
