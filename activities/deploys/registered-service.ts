import type { Catalog } from '../../domain/catalog/catalog.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { isReinstall } from '../../domain/deploys/build-kind.ts';
import type { BuildFacts } from '../../domain/deploys/facts.ts';
import type { Release } from '../../domain/deploys/release.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ServiceDeclaration } from '../../domain/registry/change-entry.ts';
import type { ServiceRegistry } from '../../domain/registry/service-registry.ts';
import type { DeploysDeps } from './deps.ts';
import { epochOfBuild } from './epoch-of-build.ts';
import { findService } from './service-lookup.ts';
import { requireFacts, type StepContext } from './step.ts';

/** What the steps that write to the service registry share. */

/** @throws UNAVAILABLE on a worker without one, where another worker planned the build */
export function requireServiceRegistry({ serviceRegistry }: Pick<DeploysDeps, 'serviceRegistry'>): ServiceRegistry {
  if (serviceRegistry !== null) return serviceRegistry;
  const message = 'No service registry is configured on the worker: set REGISTRY_URL and INTERNAL_SERVICE_KEY.';
  throw new FairleadError('UNAVAILABLE', message, { system: 'registry' });
}

export function declarationOf({ id, name, org, createdAt }: ServiceRecord): ServiceDeclaration {
  return { id, name, org, serviceSince: createdAt };
}

/** The release that the build installed. @throws RELEASE_NOT_FOUND */
export async function requireRelease(
  { releases }: Pick<DeploysDeps, 'releases'>,
  { facts }: Pick<StepContext, 'facts'>,
): Promise<Release> {
  const { releaseId } = requireFacts(facts, ['releaseId']);
  const release = await releases.find(releaseId);
  if (release !== null) return release;
  throw new FairleadError('RELEASE_NOT_FOUND', `Release ${releaseId} no longer exists.`);
}

/** What was found out when a release was built: of a rollback or restart, by an earlier build. Null when its record is gone. */
export async function factsOfRelease(
  { builds }: Pick<DeploysDeps, 'builds'>,
  { build, facts }: Pick<StepContext, 'build' | 'facts'>,
  release: Release,
): Promise<BuildFacts | null> {
  return isReinstall(build.kind) ? ((await builds.find(release.buildId))?.facts ?? null) : facts;
}

/** The catalog that a release was built with; null when it is not known any more. */
async function catalogOfRelease(
  deps: Pick<DeploysDeps, 'builds'>,
  context: Pick<StepContext, 'build' | 'facts'>,
  release: Release,
): Promise<Catalog | null> {
  return (await factsOfRelease(deps, context, release))?.catalog ?? null;
}

/** What a step registers for: the service, its release with the catalog that it was built with, and the place with its epoch. */
export async function releaseToRegister(
  deps: Pick<DeploysDeps, 'services' | 'releases' | 'builds' | 'epochs'>,
  context: Pick<StepContext, 'build' | 'facts'>,
) {
  const { build } = context;
  const [service, release, epoch] = await Promise.all([
    findService(deps, build),
    requireRelease(deps, context),
    epochOfBuild(deps, build),
  ]);
  const catalog = await catalogOfRelease(deps, context, release);
  return { service, release, catalog, place: { serviceId: service.id, environment: build.environment, epoch } };
}
