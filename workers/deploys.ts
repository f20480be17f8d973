import { totalmem } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { DeploySettings, DeploysDeps } from '../activities/deploys/deps.ts';
import { createDeploysActivities } from '../activities/deploys/index.ts';
import { createArchiveStore } from '../adapters/archives/archive-store.ts';
import { createOutboxRecorder } from '../adapters/audit-ledger/outbox-recorder.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { type BaseImages, createBaseImages } from '../adapters/docker/base-images.ts';
import { findCgroups } from '../adapters/docker/build-bounds/cgroups.ts';
import { type BuildEngine, createBuildEngine } from '../adapters/docker/build-engine/build-engine.ts';
import { copyImage } from '../adapters/docker/build-engine/copy-image.ts';
import { engineFolder } from '../adapters/docker/build-engine/engine-container.ts';
import { findEnginePrograms } from '../adapters/docker/build-engine/engine-programs.ts';
import { findDockerCli, ownClientEnvironment } from '../adapters/docker/docker-cli.ts';
import { createDockerClient } from '../adapters/docker/docker-client.ts';
import { createImageBuilder, type ImageBuilderOptions } from '../adapters/docker/image-builder.ts';
import type { RegistryAuth } from '../adapters/docker/registry-auth.ts';
import type { PlatformAccess } from '../adapters/docker/relay/platform-access.ts';
import { createRelayImage } from '../adapters/docker/relay-image.ts';
import { createStandIns } from '../adapters/docker/stand-ins/stand-in-images.ts';
import { createContainerTestRunner } from '../adapters/docker/test-runner/container-test-runner.ts';
import { createWorkloadRuntime } from '../adapters/docker/workload-runtime.ts';
import { createEdgeRouter } from '../adapters/edge-router/route-files.ts';
import { alarmsSection } from '../adapters/env/alarms.ts';
import { deploysWorkerSection } from '../adapters/env/deploys.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createSourceFetcher } from '../adapters/git/git-source-fetcher.ts';
import { createClientAdministration } from '../adapters/idp/client-administration.ts';
import { createServiceLogs } from '../adapters/log-files/service-logs.ts';
import { createSharingHistory } from '../adapters/mongo/authorized-orgs/sharing-history.ts';
import { createBuilderIndexes } from '../adapters/mongo/builder-database.ts';
import { createServiceStore } from '../adapters/mongo/catalog/services.ts';
import { createVariableHistory } from '../adapters/mongo/config/variable-history.ts';
import { createCustomDomainStore } from '../adapters/mongo/custom-domains/domains.ts';
import { createBuildLog } from '../adapters/mongo/deploys/build-logs.ts';
import { createBuildStore } from '../adapters/mongo/deploys/builds.ts';
import { createEpochStore } from '../adapters/mongo/deploys/epochs.ts';
import { createReleaseStore } from '../adapters/mongo/deploys/releases.ts';
import { createWorkloadStates } from '../adapters/mongo/deploys/workload-states.ts';
import { createGitConnectionStore } from '../adapters/mongo/git-hooks/connections.ts';
import { createGrantStore } from '../adapters/mongo/grants/grants.ts';
import { passwordsOf } from '../adapters/mongodb-server/address.ts';
import { createDomainCommands } from '../adapters/temporal/domain-commands.ts';
import { createGrantCommands } from '../adapters/temporal/grant-commands.ts';
import { createSharingCommands } from '../adapters/temporal/sharing-commands.ts';
import { createWorkflowDirectory } from '../adapters/temporal/workflow-directory.ts';
import { createWorkspace } from '../adapters/workspace/workspace.ts';
import { createNamesOfService } from '../domain/custom-domains/names-of-service.ts';
import { type BuildLimits, buildLimits } from '../domain/deploys/build-limits.ts';
import { mostBuilds } from '../domain/deploys/build-slots.ts';
import { NO_DNS } from '../domain/deploys/dns-records.ts';
import { CONTAINER_TESTS, type TestRunner } from '../domain/deploys/gated-tests.ts';
import { OWN_SDK_PACKAGES } from '../domain/deploys/sdk-packages.ts';
import type { WorkloadRuntime } from '../domain/deploys/workload-runtime.ts';
import type { ClientAdministration } from '../domain/oauth-clients/administration-port.ts';
import { isLoopbackHost } from '../domain/oauth-clients/redirect-uri.ts';
import { addressesForWorkloads, injectedAddresses } from '../domain/service-addresses.ts';
import { deploysSchedules } from '../workflows/deploys/schedules.ts';
import { CLUSTER_SETTINGS, composeCluster } from './cluster.ts';
import { meteredBuilds } from './metered-stores.ts';
import { defineModule, type WorkerParts } from './module.ts';
import { remoteOptions } from './remote-options.ts';
import { composeServiceDatabases } from './service-databases.ts';
import { composeHttpTestRunner, composeServicesTold } from './services-told.ts';
import { composeFirewall, isLocalEngine, protectAtStart } from './workload-firewall.ts';

const section = { ...deploysWorkerSection, ...alarmsSection };

type Parts = WorkerParts<ReadSection<typeof section>>;
type SecretParts = WorkerParts<ReadSection<typeof deploysWorkerSection>>;

const now = () => new Date();

/** Deploys and their upkeep, which every worker does. */
export const deploys = defineModule({
  name: 'deploys',
  section,
  schedules: deploysSchedules,
  queue: 'shared',
  // A build has one activity at a time; rollbacks, undos, clean-ups and the upkeep of all services come beside.
  slots: ({ BUILD_CONCURRENCY }) => mostBuilds(BUILD_CONCURRENCY) + 15,
  async compose(parts) {
    const { env, client, subprocessEnv } = parts;
    const { db } = await parts.connect('builder');
    await createBuilderIndexes(db);
    const archives = createArchiveStore({ directory: join(env.DATA_DIR, 'archives'), newId });
    const docker = await composeDocker(parts);
    const edge = createEdgeRouter({
      routesDirectory: join(env.DATA_DIR, 'routes'),
      domain: env.PLATFORM_DOMAIN,
      port: env.EDGE_PORT,
      innerUrl: env.EDGE_INTERNAL_URL,
    });
    const runs = composeCluster(parts, edge) ?? { runtime: await docker.runtime(), edge };
    void protectAtStart(runs.runtime);
    const connections = createGitConnectionStore({ db });
    const cipher = env.CONFIG_ENCRYPTION_KEY === undefined ? null : createSecretCipher(env.CONFIG_ENCRYPTION_KEY);
    const deps: DeploysDeps = {
      services: createServiceStore({ db, now }),
      builds: await meteredBuilds(parts, { db, store: createBuildStore({ db, now }) }),
      variableHistory: createVariableHistory({ db }),
      releases: createReleaseStore({ db }),
      epochs: createEpochStore({ db }),
      log: createBuildLog({ db, now }),
      serviceLogs: createServiceLogs({ directory: join(env.DATA_DIR, 'service-logs') }),
      archives,
      sources: createSourceFetcher({ ...remoteOptions(env, { connections, cipher, subprocessEnv }), archives }),
      workspace: createWorkspace({ root: env.WORKSPACE_DIR }),
      images: docker.images,
      runtime: runs.runtime,
      workloadStates: createWorkloadStates({ db, now }),
      edge: runs.edge,
      cipher,
      databases: composeServiceDatabases(env, db, client),
      clients: composeClients(parts),
      ...composeServicesTold(parts),
      testRunner: docker.tests ?? composeHttpTestRunner(parts),
      customDomains: createNamesOfService(createCustomDomainStore({ db }), createDomainCommands(client)),
      dns: NO_DNS,
      grants: createGrantStore({ db }),
      sharingHistory: createSharingHistory({ db }),
      sharingCommands: createSharingCommands(client),
      grantCommands: createGrantCommands(client),
      audit: composeAudit(parts),
      workflows: createWorkflowDirectory(client),
      now,
      settings: readSettings(parts),
    };
    return createDeploysActivities(deps);
  },
});

type AuditParts = Pick<
  WorkerParts<{ readonly DATA_DIR: string }>,
  'env' | 'settings' | 'logger' | 'opened' | 'metrics'
>;

export function composeClients({
  settings: { urls, providerKey },
}: Pick<Parts, 'settings'>): ClientAdministration | null {
  if (urls.idp === undefined || providerKey === undefined) return null;
  return createClientAdministration({ url: urls.idp, internalKey: providerKey });
}

export function composeAudit({ env, settings, logger: log, opened, metrics }: AuditParts): DeploysDeps['audit'] {
  const { urls, internalKey } = settings;
  const auditUrl = urls['audit-ledger'];
  if (auditUrl === undefined || internalKey === undefined) return null;
  const folder = join(env.DATA_DIR, 'audit-outbox');
  const recorder = createOutboxRecorder({ auditUrl, internalKey, namespace: 'builder', folder, log });
  metrics?.outbox('audit/builder', () => recorder.waiting());
  return opened.adopt(recorder, () => recorder.close());
}

/** `tests`: null where tests do not run in containers. */
async function composeDocker(parts: Parts): Promise<
  Pick<DeploysDeps, 'images'> & {
    readonly runtime: () => Promise<WorkloadRuntime>;
    readonly tests: TestRunner | null;
  }
> {
  const { env, logger, subprocessEnv } = parts;
  const docker = createDockerClient(env.DOCKER_HOST);
  const registry = {
    address: env.DOCKER_REGISTRY,
    user: env.DOCKER_REGISTRY_USER,
    token: env.DOCKER_REGISTRY_TOKEN,
    deletions: env.REGISTRY_DELETIONS,
  };
  const clientEnv = await ownClientEnvironment(subprocessEnv, join(env.DATA_DIR, 'docker-client'), registry);
  const cli = await findDockerCli({
    preferred: env.DOCKER_CLI,
    env: clientEnv,
    signal: AbortSignal.timeout(30_000),
  });
  const baseImages = baseImagesOf(parts, docker, registry);
  const image = createRelayImage(baseImages(docker));
  const buildProxy = env.BUILD_PROXY_SOCKET === undefined ? null : { socket: env.BUILD_PROXY_SOCKET, image };
  const onWarning = (message: string): void => logger.warn(message);
  const { STACK_ID: stackId } = env;
  return {
    tests: env.TEST_RUNNER_URL === CONTAINER_TESTS ? createContainerTestRunner({ docker, stackId, image }) : null,
    images: createImageBuilder({
      docker,
      buildEngine: await composeBuildEngine(parts, { docker, cli, registry, buildProxy }),
      cli,
      registry,
      baseImages,
      stackId: env.STACK_ID,
      env: clientEnv,
      buildNetwork: env.BUILD_NETWORK,
      limits: limitsOfBuilds(env),
      cgroups: isLocalEngine(env.DOCKER_HOST) ? await findCgroups() : null,
      buildProxy,
      now,
      onWarning,
    }),
    runtime: async () =>
      createWorkloadRuntime({
        docker,
        stackId: env.STACK_ID,
        registry,
        now,
        platform: platformAccess(parts, image),
        firewall: await composeFirewall(parts, docker, image),
      }),
  };
}

/** Base images of an engine; those that the operator allows are brought there from the machine's. */
function baseImagesOf({ env, subprocessEnv }: Parts, machine: Docker, registry: RegistryAuth) {
  const { LOCAL_BASE_IMAGES: localImages } = env;
  const making = {
    env: subprocessEnv,
    cacheDirectory: join(env.XDG_CACHE_HOME ?? join(env.HOME, '.cache'), 'fairlead'),
    nodePath: process.execPath,
    nodeVersion: process.versions.node,
  };
  return (docker: Docker): BaseImages => {
    const standIns = env.BASE_IMAGE_STAND_INS ? createStandIns({ ...making, docker }) : null;
    const bringLocal = (name: string, signal: AbortSignal) => copyImage(name, { from: machine, to: docker }, signal);
    return createBaseImages({ docker, standIns, registry, localImages, bringLocal, now });
  };
}

/** Null where builds run in the machine's engine. */
async function composeBuildEngine(
  { env, logger }: Parts,
  facts: Pick<ImageBuilderOptions, 'docker' | 'cli' | 'registry' | 'buildProxy'>,
): Promise<BuildEngine | null> {
  const { docker: machine, cli, registry, buildProxy: access } = facts;
  if (env.BUILD_ENGINE === 'machine') return null;
  if (access === null || !cli.buildkit || !isLocalEngine(env.DOCKER_HOST)) return null;
  const { folders: programFolders, missing } = await findEnginePrograms();
  const onWarning = (message: string): void => logger.warn(message);
  if (missing.length > 0) {
    const why = `programs for an engine of their own are missing: ${missing.join(', ')}`;
    onWarning(`Builds run in the machine's engine, because ${why}`);
    return null;
  }
  const folder = engineFolder(env.DATA_DIR);
  const { STACK_ID: stackId, BUILD_CACHE_VOLUME: volume } = env;
  return createBuildEngine({ machine, programFolders, stackId, volume, folder, registry, access, onWarning });
}

function limitsOfBuilds(env: Parts['env']): BuildLimits {
  const { BUILD_PROCESSES: processes, BUILD_MEMORY_BYTES: memoryBytes, BUILD_DISK_BYTES: diskBytes } = env;
  const builds = mostBuilds(env.BUILD_CONCURRENCY);
  return buildLimits({ processes, memoryBytes, diskBytes, builds }, totalmem());
}

/** Where the platform listens on the loopback alone, workloads come in by its socket. */
function platformAccess({ env, settings }: Parts, image: PlatformAccess['image']): PlatformAccess | null {
  const { PLATFORM_SOCKET: socket } = env;
  if (socket === undefined) return null;
  const addresses = addressesForWorkloads(settings.urls).map((url) => new URL(url));
  const ports = addresses.filter(({ hostname }) => isLoopbackHost(hostname)).map(({ port }) => Number(port || 80));
  return { socket, ports, image };
}

/** Credentials of the platform that must never show up in a log. */
export function platformSecrets({ env, settings }: Pick<SecretParts, 'env' | 'settings'>): string[] {
  const secrets = [
    ...[env.GIT_TOKEN, env.GITHUB_TOKEN, env.DOCKER_REGISTRY_TOKEN],
    ...[settings.providerKey, settings.internalKey, env.BUILDER_CLIENT_SECRET],
    env.DB_POSTGRES_ADMIN_URI && decodeURIComponent(new URL(env.DB_POSTGRES_ADMIN_URI).password),
    ...passwordsOf(env.DB_MONGODB_ADMIN_URI ?? ''),
    env.DB_NEO4J_ADMIN_PASSWORD,
    env.DB_REDIS_ADMIN_URL && decodeURIComponent(new URL(env.DB_REDIS_ADMIN_URL).password),
  ];
  return secrets.flatMap((secret) => secret || []);
}

const DOCKER_SETTINGS = { runtimeName: 'docker' } as const;

function readSettings({ env, settings }: Parts): DeploySettings {
  return {
    ...(env.ENABLE_K8S_DEPLOY ? CLUSTER_SETTINGS : DOCKER_SETTINGS),
    registry: env.DOCKER_REGISTRY,
    autoContainerFile: env.ENABLE_AUTO_DOCKERFILE,
    sdkPackages: [...OWN_SDK_PACKAGES, ...env.SDK_PACKAGES],
    secretsEnabled: env.SECRETS_ENABLED,
    enforceMinimumCatalogVersion: env.ENFORCE_MINIMUM_CATALOG_VERSION,
    minFreeDiskBytes: env.MIN_FREE_DISK_BYTES,
    lowDiskBytes: env.LOW_DISK_BYTES ?? 2 * env.MIN_FREE_DISK_BYTES,
    buildConcurrency: env.BUILD_CONCURRENCY,
    readinessTimeoutMs: env.READINESS_TIMEOUT_SECONDS * 1000,
    platformUrls: injectedAddresses(settings.urls, env),
    hasPlatformProxy: !env.ENABLE_K8S_DEPLOY && env.PLATFORM_SOCKET !== undefined,
    gate: {
      allowedOrgs: env.ALLOWED_DEPLOY_ORGS,
      skipServices: env.DEPLOY_GATE_SKIP_SERVICES,
      platformOrg: settings.platformOrg,
    },
    platformSecrets: platformSecrets({ env, settings }),
  };
}
