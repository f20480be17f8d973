import { after, before } from 'node:test';
import { createServiceStore } from '../../../adapters/mongo/catalog/services.ts';
import { createBuildLog } from '../../../adapters/mongo/deploys/build-logs.ts';
import { createBuildStore } from '../../../adapters/mongo/deploys/builds.ts';
import { createEpochStore } from '../../../adapters/mongo/deploys/epochs.ts';
import { createReleaseStore } from '../../../adapters/mongo/deploys/releases.ts';
import { buildLogSuite } from '../../ports/build-log.ts';
import { buildStoreSuite } from '../../ports/build-store.ts';
import { epochStoreSuite } from '../../ports/epoch-store.ts';
import { releaseStoreSuite } from '../../ports/release-store.ts';
import { serviceStoreSuite } from '../../ports/service-store.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
});
after(() => mongo.stop());

const now = () => new Date();
const deps = () => ({ db: mongo.connection.db, now });

serviceStoreSuite(() => createServiceStore(deps()));
buildStoreSuite(() => createBuildStore(deps()));
epochStoreSuite(() => createEpochStore(deps()));
releaseStoreSuite(() => createReleaseStore(deps()));
buildLogSuite((limits) => createBuildLog({ ...deps(), ...(limits && { limits }) }));
