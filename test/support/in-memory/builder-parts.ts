import type { BuilderParts } from '../builder-parts.ts';
import { shareService } from '../share-service.ts';
import { createInMemoryArchiveStore } from './archive-store.ts';
import { createInMemoryBackupStore, createInMemoryRestoreStore } from './backup-stores.ts';
import { createInMemoryBuildLog } from './build-log.ts';
import { createInMemoryBuildStore } from './build-store.ts';
import { createInMemoryCustomDomainStore } from './custom-domain-store.ts';
import {
  createInMemoryGitConnectionStore,
  createInMemoryGitDeliveryStore,
  createInMemoryHeadStore,
} from './git-hook-stores.ts';
import { createInMemoryGitIdentities } from './git-identities.ts';
import { createInMemoryGrantStore } from './grant-store.ts';
import { createInMemoryPlatformBackupStore } from './platform-backup-parts.ts';
import { createInMemoryPlatformLogs } from './platform-logs.ts';
import { createInMemoryReleaseStore } from './release-store.ts';
import { createInMemoryServiceLogs } from './service-logs.ts';
import { createInMemoryServiceStore } from './service-store.ts';
import { createInMemorySharingHistory } from './sharing-history.ts';
import { createInMemoryVariableHistory } from './variable-history.ts';
import { createInMemoryWorkloadStates } from './workload-states.ts';

/** What the builder's routes keep, in this process. */
export function createInMemoryBuilderParts(): BuilderParts {
  const now = () => new Date();
  const services = createInMemoryServiceStore({ now });
  return {
    services,
    backups: createInMemoryBackupStore(),
    restores: createInMemoryRestoreStore(),
    platformBackups: createInMemoryPlatformBackupStore(),
    history: createInMemoryVariableHistory(),
    builds: createInMemoryBuildStore({ now }),
    releases: createInMemoryReleaseStore(),
    workloadStates: createInMemoryWorkloadStates({ now }),
    domains: createInMemoryCustomDomainStore(),
    grants: createInMemoryGrantStore(),
    gitConnections: createInMemoryGitConnectionStore(),
    gitDeliveries: createInMemoryGitDeliveryStore({ now }),
    gitHeads: createInMemoryHeadStore(),
    gitIdentities: createInMemoryGitIdentities(),
    sharingHistory: createInMemorySharingHistory(),
    log: createInMemoryBuildLog({ now }),
    serviceLogs: createInMemoryServiceLogs(),
    platformLogs: createInMemoryPlatformLogs(),
    archives: createInMemoryArchiveStore({ now }),
    authorize: (id, orgs) => shareService(services, id, orgs),
    ping: async () => undefined,
    stop: async () => undefined,
  };
}
