import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { DeploysDeps } from '../deps.ts';
import { declarationOf, requireRelease, requireServiceRegistry } from '../registered-service.ts';
import { findService } from '../service-lookup.ts';
import type { StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'serviceRegistry' | 'services' | 'releases'>;

/**
 * Keeps in the service registry what was installed. Of variables it says the names alone: no value leaves the builder.
 * Idempotent: the snapshot of a build that was written first stays.
 * @throws UNAVAILABLE of the system `registry`
 */
export async function storeSnapshot(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, signal } = context;
  const registry = requireServiceRegistry(deps);
  const [service, release] = await Promise.all([findService(deps, build), requireRelease(deps, context)]);
  const { commitSha: commit, imageDigest, port, podTier, healthEndpoint } = release;
  const names = { config: Object.keys(release.config).sort(), secrets: Object.keys(release.secrets).sort() };
  await registry.declare(declarationOf(service), signal);
  const key = { buildId: build.buildId, serviceId: service.id, environment: build.environment };
  const snapshot = { releaseId: release.id, commit, imageDigest, port, podTier, healthEndpoint, ...names };
  await registry.putSnapshot(key, snapshot, signal);
  return {};
}
