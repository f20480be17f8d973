import type { DeploySettings, DeploysDeps } from '../../../activities/deploys/deps.ts';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { createNamesOfService } from '../../../domain/custom-domains/names-of-service.ts';
import { createServiceDatabases } from '../../../domain/databases/service-databases.ts';
import { createMayConsume } from '../../../domain/grants/may-consume.ts';
import { createInMemoryArchiveStore } from './archive-store.ts';
import { createInMemoryAudit } from './audit-recorder.ts';
import { createInMemoryBuildLog } from './build-log.ts';
import { createInMemoryBuildStore } from './build-store.ts';
import { createInMemoryClientAdministration } from './client-administration.ts';
import { createInMemoryClientStore } from './client-store.ts';
import { createInMemoryCustomDomainStore } from './custom-domain-store.ts';
import { createInMemoryDatabaseRecords } from './database-records.ts';
import { createInMemoryDatabaseServer } from './database-server.ts';
import { createInMemoryDnsRecords } from './dns-records.ts';
import { createInMemoryEdgeRouter } from './edge-router.ts';
import { createInMemoryEpochStore } from './epoch-store.ts';
import { createFileTree } from './file-tree.ts';
import { createInMemoryGrantCommands } from './grant-commands.ts';
import { createInMemoryGrantStore } from './grant-store.ts';
import { createInMemoryImageBuilder } from './image-builder.ts';
import { createInMemoryRegistry } from './image-registry.ts';
import { createInMemoryNetwork } from './network.ts';
import { createInMemoryReleaseStore } from './release-store.ts';
import type { InMemoryRepository } from './repository.ts';
import { createInMemoryRepositoryAccess } from './repository-access.ts';
import { createInMemoryServiceLogs } from './service-logs.ts';
import { createInMemoryServiceRegistry } from './service-registry.ts';
import { createInMemoryServiceStore } from './service-store.ts';
import { createInMemorySharingCommands } from './sharing-commands.ts';
import { createInMemorySharingHistory } from './sharing-history.ts';
import { createInMemorySiteRegistry } from './site-registry.ts';
import { createInMemorySourceFetcher } from './source-fetcher.ts';
import { createInMemoryTestRunner } from './test-runner.ts';
import { createInMemoryUptimeMonitor } from './uptime-monitor.ts';
import { createInMemoryVariableHistory } from './variable-history.ts';
import { createInMemoryWorkflows } from './workflow-directory.ts';
import { createInMemoryRuntime } from './workload-runtime.ts';
import { createInMemoryWorkloadStates } from './workload-states.ts';
import { createInMemoryWorkspace } from './workspace.ts';

/** Where repositories are that orgs share. */
export const GIT_HOST = 'https://git.fairlead.test';

const SETTINGS: DeploySettings = {
  runtimeName: 'docker',
  registry: 'localhost:5050',
  autoContainerFile: true,
  sdkPackages: ['@fairlead/', 'plain-sdk'],
  secretsEnabled: false,
  enforceMinimumCatalogVersion: false,
  minFreeDiskBytes: 1024 ** 3,
  lowDiskBytes: 2 * 1024 ** 3,
  buildConcurrency: 2,
  readinessTimeoutMs: 1_000,
  platformUrls: {},
  hasPlatformProxy: false,
  gate: { allowedOrgs: ['*'], skipServices: [], platformOrg: 'platform' },
  platformSecrets: [],
};

/**
 * Everything the deploy activities work with, in this process: each part passes the suite of its port. Beside the ports
 * are what the parts share (files, registry, network, repositories, the provider's clients) and a clock that stands still
 * until it is moved.
 */
export function createInMemoryDeploys(settings: Partial<DeploySettings> = {}) {
  let time = new Date('2026-01-01T00:00:00Z');
  const now = () => time;
  const files = createFileTree();
  const registry = createInMemoryRegistry();
  const network = createInMemoryNetwork();
  const repositories = new Map<string, InMemoryRepository>();
  const clientStore = createInMemoryClientStore({ now });
  const archives = createInMemoryArchiveStore({ now });
  const services = createInMemoryServiceStore({ now });
  const clients = createInMemoryClientAdministration({
    clients: clientStore,
    now,
    orgs: new Set(['acme', 'platform']),
  });
  const audit = createInMemoryAudit();
  const grants = createInMemoryGrantStore();
  const databaseRecords = createInMemoryDatabaseRecords();
  const drops: { readonly id: string; readonly dropAfter: Date }[] = [];
  const databaseCommands = { dropLater: async (drop: (typeof drops)[number]) => void drops.push(drop) };
  const databaseLogins = { records: databaseRecords, commands: databaseCommands, now };
  const grantCommands = createInMemoryGrantCommands({ grants, services, clients, databaseLogins, audit });
  const repositoryAccess = createInMemoryRepositoryAccess();
  const sharingHistory = createInMemorySharingHistory();
  const builds = createInMemoryBuildStore({ now });
  const workflows = createInMemoryWorkflows();
  const sharing = {
    services,
    sharingHistory,
    clients,
    databaseLogins,
    grants,
    grantCommands,
    builds,
    workflows,
    audit,
    now,
  };
  const domains = createInMemoryCustomDomainStore();
  const customDomains = createNamesOfService(domains, { remove: async () => 'removed' });
  const sharingCommands = createInMemorySharingCommands({
    ...{ ...sharing, customDomains, repositories: repositoryAccess, gitHost: GIT_HOST },
  });
  const cipher = createSecretCipher([Buffer.alloc(32, 7)]);
  const databaseServer = createInMemoryDatabaseServer('postgres');
  let passwords = 0;
  const databases = createServiceDatabases({
    records: databaseRecords,
    cipher,
    newPassword: () => {
      passwords += 1;
      return `password-of-a-database-${passwords}`;
    },
    newGeneration: () => 'aaaaaaaaaaaa',
    now,
    engines: {
      postgres: {
        server: databaseServer.server,
        address: (ownPort) => ({ host: 'postgres.internal', port: ownPort === 5432 ? 5433 : 5432, options: {} }),
      },
    },
    commands: databaseCommands,
    mayConsume: createMayConsume({ services, grants }),
    graceDays: 7,
  });
  const parts = {
    services,
    databases,
    grants,
    grantCommands,
    sharingHistory,
    sharingCommands,
    variableHistory: createInMemoryVariableHistory(),
    builds,
    releases: createInMemoryReleaseStore(),
    epochs: createInMemoryEpochStore(),
    log: createInMemoryBuildLog({ now }),
    serviceLogs: createInMemoryServiceLogs(),
    archives,
    sources: createInMemorySourceFetcher({ files, archives, repositories }),
    workspace: createInMemoryWorkspace({ files }),
    images: createInMemoryImageBuilder({ files, registry }),
    runtime: createInMemoryRuntime({ network, registry }),
    workloadStates: createInMemoryWorkloadStates({ now }),
    edge: createInMemoryEdgeRouter({ network }),
    cipher,
    clients,
    wallet: null,
    serviceRegistry: createInMemoryServiceRegistry({ now }),
    monitor: createInMemoryUptimeMonitor(),
    siteRegistry: createInMemorySiteRegistry(),
    customDomains,
    dns: { records: createInMemoryDnsRecords(), target: '192.0.2.7' },
    testRunner: createInMemoryTestRunner({ network }),
    audit,
    workflows,
    now,
    settings: { ...SETTINGS, ...settings },
  } satisfies DeploysDeps;
  return {
    ...parts,
    domains,
    files,
    registry,
    network,
    repositories,
    repositoryAccess,
    clientStore,
    databaseServer,
    databaseRecords,
    databaseLogins,
    /** What was asked to be dropped later. */
    drops,
    /** Moves the clock forward. */
    advance(milliseconds: number): void {
      time = new Date(time.getTime() + milliseconds);
    },
  };
}

export type InMemoryDeploys = ReturnType<typeof createInMemoryDeploys>;
