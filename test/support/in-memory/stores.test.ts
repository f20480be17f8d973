import { buildLogSuite } from '../../ports/build-log.ts';
import { buildStoreSuite } from '../../ports/build-store.ts';
import { epochStoreSuite } from '../../ports/epoch-store.ts';
import { releaseStoreSuite } from '../../ports/release-store.ts';
import { serviceStoreSuite } from '../../ports/service-store.ts';
import { createInMemoryBuildLog } from './build-log.ts';
import { createInMemoryBuildStore } from './build-store.ts';
import { createInMemoryEpochStore } from './epoch-store.ts';
import { createInMemoryReleaseStore } from './release-store.ts';
import { createInMemoryServiceStore } from './service-store.ts';

const now = () => new Date();
const services = createInMemoryServiceStore({ now });
const builds = createInMemoryBuildStore({ now });
const epochs = createInMemoryEpochStore();
const releases = createInMemoryReleaseStore();
const log = createInMemoryBuildLog({ now });

serviceStoreSuite(() => services);
buildStoreSuite(() => builds);
epochStoreSuite(() => epochs);
releaseStoreSuite(() => releases);
buildLogSuite((limits) => (limits === undefined ? log : createInMemoryBuildLog({ now, limits })));
