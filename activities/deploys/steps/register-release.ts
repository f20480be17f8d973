import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireFacts, type StepContext } from '../step.ts';

/** Makes the release the active one and notes the build on the service. Idempotent: both set a state. */
export async function registerRelease(
  deps: Pick<DeploysDeps, 'releases' | 'services' | 'now'>,
  context: StepContext,
): Promise<BuildFacts> {
  const { releaseId } = requireFacts(context.facts, ['releaseId']);
  await deps.releases.activate(releaseId, deps.now());
  await deps.services.setLastBuild(context.build.serviceId, context.build.buildId);
  return {};
}
