import { posix } from 'node:path';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { buildEnvOf } from '../build-env.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireFacts, type StepContext } from '../step.ts';

/** Builds the image. Idempotent: the same source under the same tag, from the build cache where nothing changed. */
export async function buildImage(
  deps: Pick<DeploysDeps, 'images' | 'services' | 'cipher'>,
  context: StepContext,
): Promise<BuildFacts> {
  const { build, facts, signal, onLine } = context;
  const known = requireFacts(facts, ['workDir', 'contextPath', 'dockerfile', 'imageTag']);
  await deps.images.build(
    {
      buildId: build.buildId,
      service: build.service,
      environment: build.environment,
      contextDirectory: posix.join(known.workDir, facts.monorepoPath ?? known.contextPath),
      dockerfile: posix.join(known.workDir, known.dockerfile),
      tag: known.imageTag,
      labels: facts.commitSha === undefined ? {} : { 'org.opencontainers.image.revision': facts.commitSha },
      secrets: await buildSecrets(deps, context),
    },
    { signal, onLine },
  );
  return {};
}

/** The build-time env file, and variables by themselves, under the ids by which the container file mounts them. */
async function buildSecrets(
  deps: Pick<DeploysDeps, 'services' | 'cipher'>,
  { build, facts: { buildEnvId, registryVariables = [], catalog } }: StepContext,
): Promise<Readonly<Record<string, string>>> {
  if (buildEnvId === undefined || catalog === undefined) return {};
  const buildEnv = await buildEnvOf(deps, build, catalog);
  const alone = registryVariables.map((name) => [buildEnv?.ids[name] ?? name, buildEnv?.values[name] ?? ''] as const);
  return { [buildEnvId]: buildEnv?.text ?? '', ...Object.fromEntries(alone) };
}
