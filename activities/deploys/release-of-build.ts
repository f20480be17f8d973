import type { Catalog } from '../../domain/catalog/catalog.ts';
import { POD_TIERS } from '../../domain/catalog/pod-tiers.ts';
import { openSecrets } from '../../domain/config/service-variables.ts';
import { type ConsumedDatabase, consumedVariable } from '../../domain/databases/consumer.ts';
import type { DatabaseEngine } from '../../domain/databases/engines.ts';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { isReinstall } from '../../domain/deploys/build-kind.ts';
import { dependenciesAt, dependencyVariables } from '../../domain/deploys/dependency.ts';
import type { BuildFacts } from '../../domain/deploys/facts.ts';
import type { Listener } from '../../domain/deploys/listening.ts';
import type { Release } from '../../domain/deploys/release.ts';
import type { WorkloadSpec } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import { credentialVariables } from './client-credentials.ts';
import type { DeploysDeps } from './deps.ts';
import { releaseIdOf } from './release-id.ts';
import { declaredDefaults, variablesForRelease } from './service-config.ts';
import { findService } from './service-lookup.ts';
import { requireFacts } from './step.ts';

export type ReleaseDeps = Pick<DeploysDeps, 'releases' | 'services' | 'cipher' | 'edge' | 'now'>;

export type WorkloadDeps = Pick<DeploysDeps, 'services' | 'cipher' | 'databases' | 'edge'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'platformUrls'>;
};

/** The release a build installs: one that is there for a rollback or restart, else its own, named after it so that it is made once. */
export async function releaseOfBuild(deps: ReleaseDeps, build: BuildRequest, facts: BuildFacts): Promise<Release> {
  const id = releaseIdOf(build);
  const existing = await deps.releases.find(id);
  if (existing !== null) return existing;
  if (isReinstall(build.kind)) throw new FairleadError('RELEASE_NOT_FOUND', `Release ${id} no longer exists.`);
  const release = await composeRelease(deps, id, build, facts);
  await deps.releases.put(release);
  return release;
}

async function composeRelease(deps: ReleaseDeps, id: string, build: BuildRequest, facts: BuildFacts): Promise<Release> {
  const known = requireFacts(facts, ['catalog', 'imageTag', 'imageDigest', 'port']);
  const [service, active] = await Promise.all([
    findService(deps, build),
    deps.releases.active(build.service, build.environment),
  ]);
  const { config, secrets } = variablesForRelease(deps, build, service);
  return {
    id,
    buildId: build.buildId,
    serviceId: build.serviceId,
    service: build.service,
    environment: build.environment,
    commitSha: facts.commitSha ?? null,
    imageTag: known.imageTag,
    imageDigest: known.imageDigest,
    ...portOf(known, active),
    healthEndpoint: known.catalog.healthEndpoint,
    // Absent in what a worker of an earlier version handed on.
    healthRule: (known.catalog.healthDeclared ?? true) ? 'declared' : 'alive',
    podTier: known.catalog.podTier,
    requests: { cpuMillis: known.catalog.cpuRequestMillis, memoryBytes: known.catalog.memoryRequestBytes },
    readOnlyRoot: true,
    // Absent in what a worker of an earlier version handed on.
    writablePaths: known.catalog.writablePaths ?? [],
    foundFolders: [],
    oauthClient: (known.catalog.auth ?? null) !== null,
    publicUrl: deps.edge.url(build.service, build.environment),
    databases: facts.databases ?? [],
    consumedDatabases: facts.consumedDatabases ?? [],
    dependencies: dependenciesOf(facts, { ...config, ...secrets }),
    config: { ...declaredDefaults(known.catalog), ...config },
    secrets,
    createdAt: deps.now(),
    activatedAt: null,
    epoch: null,
    installedBy: null,
  };
}

/** What a person set under the name of a dependency's variable stays: the release has that variable from them. */
function dependenciesOf(
  { dependencies = [] }: BuildFacts,
  set: Readonly<Record<string, unknown>>,
): Release['dependencies'] {
  return dependencies.map((dependency) => {
    const isSet = dependency.variable !== null && Object.hasOwn(set, dependency.variable);
    return isSet ? { ...dependency, variable: null } : dependency;
  });
}

/**
 * A service that was found to listen elsewhere is taken to do so still, unless its author declares a port. Whether nothing stands before its
 * loopback is looked at anew.
 */
function portOf(
  { catalog, port }: { readonly catalog: Pick<Catalog, 'port'>; readonly port: number },
  active: Release | null,
): Listener {
  if (catalog.port !== null) return { port, portRule: 'declared', onLoopback: false };
  const found = active?.portRule === 'found' ? active.port : null;
  return { port: found ?? port, portRule: found === null ? 'given' : 'found', onLoopback: false };
}

/** The workload of a release; `buildId` is the build that installs it, which for a rollback is not the one that made it. */
export async function workloadOf(deps: WorkloadDeps, release: Release, buildId: string): Promise<WorkloadSpec> {
  const service = await deps.services.find(release.serviceId);
  // An earlier release goes on with today's secret, not with the one of its time.
  const isKnown = service !== null && release.oauthClient;
  const credential = isKnown ? credentialVariables(deps, service, release.environment) : {};
  const { environment, port } = release;
  const given = await deps.databases?.variables(
    release,
    { own: release.databases, consumed: release.consumedDatabases },
    port,
  );
  const dependencies = dependenciesAt(release.dependencies, { environment, ownPort: port });
  const secrets = openSecrets(deps.cipher, { service: release.service, environment }, release.secrets);
  return {
    buildId,
    releaseId: release.id,
    org: service?.org ?? null,
    service: release.service,
    environment: release.environment,
    image: release.imageDigest,
    port: release.port,
    onLoopback: release.onLoopback,
    healthEndpoint: release.healthEndpoint,
    healthRule: release.healthRule,
    tier: POD_TIERS[release.podTier],
    requests: release.requests,
    readOnlyRoot: release.readOnlyRoot,
    writablePaths: [...release.writablePaths, ...release.foundFolders],
    dependencies,
    databases: deps.databases?.addresses(enginesOf(release), port) ?? [],
    env: {
      ...given?.usual,
      ...withoutConsumed({ ...release.config, ...secrets }, release),
      ...dependencyVariables(dependencies),
      ...credential,
      ...given?.reserved,
      // The platform's own variables win: spec 2, "Variables injected into every pod".
      ...deps.settings.platformUrls,
      NODE_ENV: 'production',
      ENVIRONMENT: release.environment,
      PUBLIC_URL: release.publicUrl ?? deps.edge.url(release.service, release.environment),
      PORT: String(release.port),
      ...(release.commitSha === null ? {} : { GIT_COMMIT: release.commitSha }),
    },
  };
}

/** Deploys alone set these: no value that somebody set stands in for a login that has ended. */
function withoutConsumed(
  set: Readonly<Record<string, string>>,
  { consumedDatabases }: Release,
): Readonly<Record<string, string>> {
  const names = new Set(consumedDatabases.map(consumedVariable));
  return Object.fromEntries(Object.entries(set).filter(([name]) => !names.has(name)));
}

/** Databases of other services that a release has, and of which its workload is given no login. */
export function withoutLogin(
  { consumedDatabases }: Release,
  { env }: Pick<WorkloadSpec, 'env'>,
): readonly ConsumedDatabase[] {
  return consumedDatabases.filter((one) => !Object.hasOwn(env, consumedVariable(one)));
}

/** Of which it reaches the servers. */
function enginesOf({ databases, consumedDatabases }: Release): readonly DatabaseEngine[] {
  return [...new Set([...databases, ...consumedDatabases.map(({ engine }) => engine)])];
}
