import { after, before } from 'node:test';
import { createPropertyStore } from '../../../adapters/mongo/properties/properties.ts';
import { createQuotaCounters } from '../../../adapters/mongo/properties/quota-counters.ts';
import { createVerifyJobStore } from '../../../adapters/mongo/properties/verify-jobs.ts';
import { createSiteRegistryIndexes } from '../../../adapters/mongo/site-registry-database.ts';
import { propertyStoreSuite } from '../../ports/properties/property-store.ts';
import { quotaCountersSuite } from '../../ports/properties/quota-counters.ts';
import { verifyJobStoreSuite } from '../../ports/properties/verify-jobs.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
  await createSiteRegistryIndexes(mongo.connection.db);
});
after(() => mongo.stop());

propertyStoreSuite(() => createPropertyStore({ db: mongo.connection.db }));
quotaCountersSuite(() => {
  return createQuotaCounters({ db: mongo.connection.db, now: () => new Date('2026-03-09T12:00:00Z') });
});
verifyJobStoreSuite(() => createVerifyJobStore({ db: mongo.connection.db }));
