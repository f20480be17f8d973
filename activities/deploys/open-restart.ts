import type { BuildRequest, BuildSource, PlannedStep } from '../../domain/deploys/build.ts';
import type { Release } from '../../domain/deploys/release.ts';
import type { OpenedRestart, RestartRequest } from '../../domain/deploys/restart.ts';
import type { DeploysDeps } from './deps.ts';
import { openBuild } from './open-build.ts';

/**
 * Opens the build that installs the active release once more. The coordinator calls it while no build is under way, so that
 * the release it finds is still the active one when the build installs it. Idempotent on the build id.
 * @throws UNAVAILABLE (retryable)
 */
export async function openRestart(
  deps: Parameters<typeof openBuild>[0] & Pick<DeploysDeps, 'releases'>,
  restart: RestartRequest,
): Promise<OpenedRestart<readonly PlannedStep[]>> {
  const { service: name, environment, serviceId, installedBefore } = restart;
  const release = await deps.releases.active(name, environment);
  if (release === null || release.serviceId !== serviceId) return { kind: 'not needed' };
  // By version 0.1, without an epoch: before all others.
  if ((release.epoch ?? Number.NEGATIVE_INFINITY) >= installedBefore) return { kind: 'not needed' };
  const service = await deps.services.findConfirmed(serviceId);
  if (service === null || service.removingSince !== null) return { kind: 'not needed' };
  const { buildId, requestedBy, requestId, requestedAt } = restart;
  const request: BuildRequest = {
    ...{ buildId, requestedBy, requestId, requestedAt, serviceId, environment },
    ...{ kind: 'restart', service: service.name, org: service.org, releaseId: release.id, resume: null },
    source: await sourceOf(deps, release, service.gitUrl),
  };
  const plan = await openBuild(deps, request);
  if (plan === null || plan === 'ended' || 'attachedTo' in plan) return { kind: 'ended' };
  return { kind: 'opened', request, plan };
}

/** It fetches nothing; its record names the source that the release was made from. */
async function sourceOf(
  { builds }: Pick<DeploysDeps, 'builds'>,
  release: Release,
  gitUrl: string | null,
): Promise<BuildSource> {
  const source = (await builds.find(release.buildId))?.source;
  if (source?.kind === 'archive') return source;
  return { kind: 'git', url: source?.url ?? gitUrl ?? '', branch: source?.branch ?? null, commit: release.commitSha };
}
