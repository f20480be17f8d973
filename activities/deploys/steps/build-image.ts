import { posix } from 'node:path';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { unusedContainerFile } from '../../../domain/deploys/unused-container-file.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildEnvOf } from '../build-env.ts';
import type { DeploysDeps } from '../deps.ts';
import { keepLockfile } from '../keep-lockfile.ts';
import { requireFacts, type StepContext } from '../step.ts';

/** Builds the image. Idempotent: the same source under the same tag, from the build cache where nothing changed. */
export async function buildImage(
  deps: Pick<DeploysDeps, 'images' | 'builds' | 'services' | 'cipher'>,
  context: StepContext,
): Promise<BuildFacts> {
  const { build, facts, signal, onLine } = context;
  const known = requireFacts(facts, ['workDir', 'contextPath', 'dockerfile', 'imageTag']);
  const { files, hidden } = await buildSecrets(deps, context);
  const building = deps.images.build(
    {
      buildId: build.buildId,
      org: build.org,
      service: build.service,
      environment: build.environment,
      contextDirectory: posix.join(known.workDir, facts.monorepoPath ?? known.contextPath),
      dockerfile: posix.join(known.workDir, known.dockerfile),
      tag: known.imageTag,
      labels: facts.commitSha === undefined ? {} : { 'org.opencontainers.image.revision': facts.commitSha },
      secrets: files,
    },
    { signal, onLine },
  );
  await building.catch((error: unknown) => {
    throw withAuthorsFile(error, unusedContainerFile(facts));
  });
  return await keepLockfile(deps, context, hidden);
}

/** A build that failed, with what it says of the container file that was not used. */
function withAuthorsFile(error: unknown, said: string | null): unknown {
  const isFailure = error instanceof FairleadError && error.code === 'IMAGE_BUILD_FAILED' && !error.retryable;
  if (said === null || !isFailure) return error;
  const { code, message, details, cause } = error;
  return new FairleadError(code, `${message}\n${said}`, { details, cause });
}

interface BuildSecrets {
  /** By the ids by which the container file mounts them. */
  readonly files: Readonly<Record<string, string>>;
  /** What nothing that leaves the build may show. */
  readonly hidden: readonly string[];
}

/** The build-time env file, and variables by themselves, under the ids by which the container file mounts them. */
async function buildSecrets(
  deps: Pick<DeploysDeps, 'services' | 'cipher'>,
  { build, facts: { buildEnvId, registryVariables = [], catalog } }: StepContext,
): Promise<BuildSecrets> {
  if (buildEnvId === undefined || catalog === undefined) return { files: {}, hidden: [] };
  const buildEnv = await buildEnvOf(deps, build, catalog);
  const alone = registryVariables.map((name) => [buildEnv?.ids[name] ?? name, buildEnv?.values[name] ?? ''] as const);
  return {
    files: { [buildEnvId]: buildEnv?.text ?? '', ...Object.fromEntries(alone) },
    hidden: [...(buildEnv?.hidden ?? []), ...alone.map(([, value]) => value)],
  };
}
