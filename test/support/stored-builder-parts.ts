import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createArchiveStore } from '../../adapters/archives/archive-store.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createPlatformLogs } from '../../adapters/log-files/platform-logs.ts';
import { createServiceLogs } from '../../adapters/log-files/service-logs.ts';
import { createSharingHistory } from '../../adapters/mongo/authorized-orgs/sharing-history.ts';
import { createBackupStore } from '../../adapters/mongo/backups/backups.ts';
import { createRestoreStore } from '../../adapters/mongo/backups/restores.ts';
import { createServiceStore } from '../../adapters/mongo/catalog/services.ts';
import { createVariableHistory } from '../../adapters/mongo/config/variable-history.ts';
import { createCustomDomainStore } from '../../adapters/mongo/custom-domains/domains.ts';
import { createBuildLog } from '../../adapters/mongo/deploys/build-logs.ts';
import { createBuildStore } from '../../adapters/mongo/deploys/builds.ts';
import { createReleaseStore } from '../../adapters/mongo/deploys/releases.ts';
import { createWorkloadStates } from '../../adapters/mongo/deploys/workload-states.ts';
import { createGitConnectionStore } from '../../adapters/mongo/git-hooks/connections.ts';
import { createGitDeliveryStore } from '../../adapters/mongo/git-hooks/deliveries.ts';
import { createHeadStore } from '../../adapters/mongo/git-hooks/heads.ts';
import { createGitIdentityStore } from '../../adapters/mongo/git-identities/identities.ts';
import { createGrantStore } from '../../adapters/mongo/grants/grants.ts';
import { createPlatformBackupStore } from '../../adapters/mongo/platform-backup/records.ts';
import type { BuilderParts } from './builder-parts.ts';
import { shareService } from './share-service.ts';
import { startMongo } from './start-mongo.ts';

/** What the builder's routes keep, in a database of its own and a folder, as in production. */
export async function createStoredBuilderParts(): Promise<BuilderParts> {
  const { connection, stop } = await startMongo();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-api-'));
  const deps = { db: connection.db, now: () => new Date() };
  const services = createServiceStore(deps);
  return {
    services,
    backups: createBackupStore(deps),
    restores: createRestoreStore(deps),
    platformBackups: createPlatformBackupStore(deps),
    history: createVariableHistory(deps),
    builds: createBuildStore(deps),
    releases: createReleaseStore(deps),
    workloadStates: createWorkloadStates(deps),
    domains: createCustomDomainStore(deps),
    grants: createGrantStore(deps),
    gitConnections: createGitConnectionStore(deps),
    gitDeliveries: createGitDeliveryStore(deps),
    gitHeads: createHeadStore(deps),
    gitIdentities: createGitIdentityStore(deps),
    sharingHistory: createSharingHistory(deps),
    log: createBuildLog(deps),
    serviceLogs: createServiceLogs({ directory: join(folder, 'service-logs') }),
    platformLogs: createPlatformLogs({ directory: join(folder, 'logs') }),
    archives: createArchiveStore({ directory: join(folder, 'archives'), newId }),
    authorize: (id, orgs) => shareService(services, id, orgs),
    ping: connection.ping,
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
