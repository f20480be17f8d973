import { posix } from 'node:path';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireFacts, type StepContext } from '../step.ts';

/** Builds the image. Idempotent: the same source under the same tag, from the build cache where nothing changed. */
export async function buildImage(deps: Pick<DeploysDeps, 'images'>, context: StepContext): Promise<BuildFacts> {
  const { build, facts, signal, onLine } = context;
  const known = requireFacts(facts, ['workDir', 'contextPath', 'dockerfile', 'imageTag']);
  await deps.images.build(
    {
      buildId: build.buildId,
      service: build.service,
      environment: build.environment,
      contextDirectory: posix.join(known.workDir, known.contextPath),
      dockerfile: posix.join(known.workDir, known.dockerfile),
      tag: known.imageTag,
      labels: facts.commitSha === undefined ? {} : { 'org.opencontainers.image.revision': facts.commitSha },
    },
    { signal, onLine },
  );
  return {};
}
