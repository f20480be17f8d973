import type { ServiceRecord } from '../../../domain/catalog/service.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import { isReinstall } from '../../../domain/deploys/build-kind.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { Release } from '../../../domain/deploys/release.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { ServiceRegistry } from '../../../domain/registry/service-registry.ts';
import type { DeploysDeps } from '../deps.ts';
import { declarationOf, factsOfRelease, requireRelease, requireServiceRegistry } from '../registered-service.ts';
import { findService } from '../service-lookup.ts';
import type { StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'serviceRegistry' | 'services' | 'releases' | 'builds' | 'edge'>;

/**
 * Keeps the manifest of the deploy, with which the next one is compared, and publishes what is new for the status page:
 * of deploys to prod alone, as the changelog is public and one for all environments (spec 3, "Changelog flow"). What a
 * rollback brings back is nothing new. The walkthrough of the catalog is linked with the notes, or alone where nothing is
 * new. Idempotent: the registry keeps the first manifest and the last notes of a build.
 * @throws UNAVAILABLE of the system `registry`; CONFLICT when a later deploy has published
 */
export async function publishChangelog(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, onLine } = context;
  const registry = requireServiceRegistry(deps);
  const [service, release] = await Promise.all([findService(deps, build), requireRelease(deps, context)]);
  const facts = await factsOfRelease(deps, context, release);
  await registry.declare(declarationOf(service), context.signal);
  await storeManifest(registry, context, { release, sdkVersions: facts?.sdkVersions });
  const notes = facts?.releaseNotes ?? null;
  if (isReinstall(build.kind)) onLine(`A ${build.kind} publishes no notes`);
  else if (build.environment !== 'prod') onLine('Only a deploy to prod publishes its notes');
  else {
    const walkthrough = facts?.catalog?.walkthrough ?? null;
    const walkthroughUrl = walkthrough === null ? null : linkOf(walkthrough, deps.edge.url(service.name, 'prod'));
    if (notes !== null) await publish(registry, context, { service, release, notes, walkthroughUrl });
    else if (walkthroughUrl !== null) await attach(registry, context, { service, walkthroughUrl });
    else onLine('Nothing says what is new: the changelog stays as it is');
  }
  return {};
}

/** A manifest that the registry refuses is a warning (spec 2, step 8). */
async function storeManifest(
  registry: ServiceRegistry,
  { build, signal, warn }: StepContext,
  { release, sdkVersions }: { readonly release: Release; readonly sdkVersions: BuildFacts['sdkVersions'] },
): Promise<void> {
  if (sdkVersions === undefined) return;
  const { buildId, serviceId, environment, requestedBy: deployedBy } = build;
  const commit = release.commitSha ?? archiveOf(build);
  try {
    await registry.putManifest({ buildId, serviceId, environment }, { commit, sdkVersions, deployedBy }, signal);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.retryable) throw error;
    warn(`The registry refused the manifest of this deploy: ${error.message}`);
  }
}

/** An upload has no commit; its digest says as well what was deployed. */
function archiveOf({ source }: BuildRequest): string {
  return source.kind === 'archive' ? `archive-${source.sha256.slice(0, 40)}` : 'unknown';
}

async function publish(
  registry: ServiceRegistry,
  { signal, onLine, build }: StepContext,
  given: {
    readonly service: ServiceRecord;
    readonly release: Release;
    readonly notes: NonNullable<BuildFacts['releaseNotes']>;
    readonly walkthroughUrl: string | null;
  },
): Promise<void> {
  const { service, release, notes, walkthroughUrl } = given;
  const changelog = {
    ...notes,
    commit: release.commitSha,
    // When it was asked for, which is the same in every attempt.
    deployedAt: new Date(build.requestedAt),
    walkthroughUrl,
  };
  await registry.publishChangelog({ id: service.id, name: service.name }, changelog, signal);
  onLine(`Published what is new${notes.version === null ? '' : ` in ${notes.version}`}`);
}

/** Attaches the link to the changelog that is there, whose notes and time stay; without one there is a warning. */
async function attach(
  registry: ServiceRegistry,
  { signal, onLine, warn }: StepContext,
  { service, walkthroughUrl }: { readonly service: ServiceRecord; readonly walkthroughUrl: string },
): Promise<void> {
  try {
    await registry.attachWalkthrough({ id: service.id, name: service.name }, walkthroughUrl, signal);
    onLine(`Nothing says what is new; the changelog links to ${walkthroughUrl}`);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'NOT_FOUND') throw error;
    warn(
      'The walkthrough is not linked: the service has no changelog in the registry. A CHANGELOG.md, or a new commit, makes one.',
    );
  }
}

/** A path is below the public address of the service, whatever stands in it. */
function linkOf(walkthrough: string, publicUrl: string): string {
  return walkthrough.startsWith('/') ? publicUrl + walkthrough : walkthrough;
}
