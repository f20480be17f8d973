import { after, before, describe } from 'node:test';
import type { Db } from 'mongodb';
import { createDeployRecordStore } from '../../../../adapters/mongo/registry/deploys.ts';
import { createEntryStore } from '../../../../adapters/mongo/registry/entries.ts';
import { createRegistryIndexes } from '../../../../adapters/mongo/registry/indexes.ts';
import { createPackageChangelogStore } from '../../../../adapters/mongo/registry/packages.ts';
import { deployRecordStoreSuite } from '../../../ports/registry/deploy-record-store.ts';
import { entryStoreSuite } from '../../../ports/registry/entry-store.ts';
import { packageChangelogStoreSuite } from '../../../ports/registry/package-changelog-store.ts';
import { createDatabase } from '../../../support/in-memory/database/database.ts';
import { startMongo, type TestMongo } from '../../../support/start-mongo.ts';

function storeSuites(db: () => Db): void {
  entryStoreSuite(() => createEntryStore({ db: db() }));
  deployRecordStoreSuite((kept) => createDeployRecordStore({ db: db(), ...(kept !== undefined && { kept }) }));
  packageChangelogStoreSuite(() => createPackageChangelogStore({ db: db() }));
}

describe('stores of the registry on a database', () => {
  let mongo: TestMongo;
  before(async () => {
    mongo = await startMongo();
    await createRegistryIndexes(mongo.connection.db);
  });
  after(() => mongo.stop());
  storeSuites(() => mongo.connection.db);
});

describe('stores of the registry on the database in memory', () => {
  const { connection } = createDatabase();
  before(() => createRegistryIndexes(connection.db));
  storeSuites(() => connection.db);
});
