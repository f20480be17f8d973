import { buildLogSuite } from '../../ports/build-log.ts';
import { buildStoreSuite } from '../../ports/build-store.ts';
import { epochStoreSuite } from '../../ports/epoch-store.ts';
import { grantStoreSuite } from '../../ports/grant-store.ts';
import { lockerStoreSuite } from '../../ports/locker-store.ts';
import { releaseStoreSuite } from '../../ports/release-store.ts';
import { repositoryAccessSuite } from '../../ports/repository-access.ts';
import { serviceStoreSuite } from '../../ports/service-store.ts';
import { sharingHistorySuite } from '../../ports/sharing-history.ts';
import { variableHistorySuite } from '../../ports/variable-history.ts';
import { workloadStatesSuite } from '../../ports/workload-states.ts';
import { createInMemoryBuildLog } from './build-log.ts';
import { createInMemoryBuildStore } from './build-store.ts';
import { createInMemoryEpochStore } from './epoch-store.ts';
import { createInMemoryGrantStore } from './grant-store.ts';
import { createInMemoryLockerStore } from './locker-store.ts';
import { createInMemoryReleaseStore } from './release-store.ts';
import { createInMemoryRepositoryAccess } from './repository-access.ts';
import { createInMemoryServiceStore } from './service-store.ts';
import { createInMemorySharingHistory } from './sharing-history.ts';
import { createInMemoryVariableHistory } from './variable-history.ts';
import { createInMemoryWorkloadStates } from './workload-states.ts';

const now = () => new Date();
const services = createInMemoryServiceStore({ now });
const history = createInMemoryVariableHistory();
const builds = createInMemoryBuildStore({ now });
const epochs = createInMemoryEpochStore();
const releases = createInMemoryReleaseStore();
const locker = createInMemoryLockerStore();
const log = createInMemoryBuildLog({ now });

serviceStoreSuite(() => services);
variableHistorySuite(() => history);

const sharing = createInMemorySharingHistory();
sharingHistorySuite(() => sharing);
repositoryAccessSuite(async () => {
  const host = createInMemoryRepositoryAccess(['acme/shop', 'acme/notes']);
  return { host, roles: async () => host.roles(), members: async () => host.members() };
});

const grants = createInMemoryGrantStore();
grantStoreSuite(() => grants);
buildStoreSuite(() => builds);
epochStoreSuite(() => epochs);
lockerStoreSuite((maxItems) => (maxItems === undefined ? locker : createInMemoryLockerStore(maxItems)));
releaseStoreSuite(() => releases);

const workloadStates = createInMemoryWorkloadStates({ now });
workloadStatesSuite(() => workloadStates);
buildLogSuite((limits) => (limits === undefined ? log : createInMemoryBuildLog({ now, limits })));
