import { after, before } from 'node:test';
import { createSharingHistory } from '../../../adapters/mongo/authorized-orgs/sharing-history.ts';
import { createServiceStore } from '../../../adapters/mongo/catalog/services.ts';
import { createVariableHistory } from '../../../adapters/mongo/config/variable-history.ts';
import { createDatabaseRecords } from '../../../adapters/mongo/databases/records.ts';
import { createBuildLog } from '../../../adapters/mongo/deploys/build-logs.ts';
import { createBuildStore } from '../../../adapters/mongo/deploys/builds.ts';
import { createEpochStore } from '../../../adapters/mongo/deploys/epochs.ts';
import { createReleaseStore } from '../../../adapters/mongo/deploys/releases.ts';
import { createWorkloadStates } from '../../../adapters/mongo/deploys/workload-states.ts';
import { createGrantStore } from '../../../adapters/mongo/grants/grants.ts';
import { createLockerStore } from '../../../adapters/mongo/locker/items.ts';
import { createLockerIndexes } from '../../../adapters/mongo/locker-database.ts';
import { buildLogSuite } from '../../ports/build-log.ts';
import { buildStoreSuite } from '../../ports/build-store.ts';
import { databaseRecordsSuite } from '../../ports/database-records.ts';
import { epochStoreSuite } from '../../ports/epoch-store.ts';
import { grantStoreSuite } from '../../ports/grant-store.ts';
import { lockerStoreSuite } from '../../ports/locker-store.ts';
import { releaseStoreSuite } from '../../ports/release-store.ts';
import { serviceStoreSuite } from '../../ports/service-store.ts';
import { sharingHistorySuite } from '../../ports/sharing-history.ts';
import { variableHistorySuite } from '../../ports/variable-history.ts';
import { workloadStatesSuite } from '../../ports/workload-states.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
  await createLockerIndexes(mongo.connection.db);
});
after(() => mongo.stop());

const now = () => new Date();
const deps = () => ({ db: mongo.connection.db, now });

serviceStoreSuite(() => createServiceStore(deps()));
variableHistorySuite(() => createVariableHistory(deps()));
sharingHistorySuite(() => createSharingHistory(deps()));
databaseRecordsSuite(() => createDatabaseRecords({ db: mongo.connection.db }));
grantStoreSuite(() => createGrantStore(deps()));
buildStoreSuite(() => createBuildStore(deps()));
epochStoreSuite(() => createEpochStore(deps()));
lockerStoreSuite((maxItems) => createLockerStore({ ...deps(), ...(maxItems !== undefined && { maxItems }) }));
releaseStoreSuite(() => createReleaseStore(deps()));
workloadStatesSuite(() => createWorkloadStates(deps()));
buildLogSuite((limits) => createBuildLog({ ...deps(), ...(limits && { limits }) }));
