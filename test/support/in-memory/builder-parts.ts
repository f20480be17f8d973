import type { BuilderParts } from '../builder-parts.ts';
import { createInMemoryArchiveStore } from './archive-store.ts';
import { createInMemoryBuildLog } from './build-log.ts';
import { createInMemoryBuildStore } from './build-store.ts';
import { createInMemoryGrantStore } from './grant-store.ts';
import { createInMemoryReleaseStore } from './release-store.ts';
import { createInMemoryServiceLogs } from './service-logs.ts';
import { createInMemoryServiceStore } from './service-store.ts';
import { createInMemoryVariableHistory } from './variable-history.ts';

/** What the builder's routes keep, in this process. */
export function createInMemoryBuilderParts(): BuilderParts {
  const now = () => new Date();
  const services = createInMemoryServiceStore({ now });
  return {
    services,
    history: createInMemoryVariableHistory(),
    builds: createInMemoryBuildStore({ now }),
    releases: createInMemoryReleaseStore(),
    grants: createInMemoryGrantStore(),
    log: createInMemoryBuildLog({ now }),
    serviceLogs: createInMemoryServiceLogs(),
    archives: createInMemoryArchiveStore({ now }),
    authorize: services.authorize,
    ping: async () => undefined,
    stop: async () => undefined,
  };
}
