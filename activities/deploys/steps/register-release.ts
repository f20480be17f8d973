import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { DeploysDeps } from '../deps.ts';
import { epochOfBuild } from '../epoch-of-build.ts';
import { requireFacts, type StepContext } from '../step.ts';

/**
 * Makes the release the active one and notes the build on the service. Idempotent: both set a state.
 * @throws CONFLICT when the installation has been undone
 */
export async function registerRelease(
  deps: Pick<DeploysDeps, 'releases' | 'services' | 'builds' | 'epochs' | 'now'>,
  context: Pick<StepContext, 'build' | 'facts'>,
): Promise<BuildFacts> {
  const { releaseId } = requireFacts(context.facts, ['releaseId']);
  const { buildId, serviceId } = context.build;
  const epoch = await epochOfBuild(deps, context.build);
  await deps.releases.activate(releaseId, { at: deps.now(), epoch, buildId });
  await deps.services.setLastBuild(serviceId, buildId);
  return {};
}
