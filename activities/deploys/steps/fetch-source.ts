import type { BuildSource } from '../../../domain/deploys/build.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import type { StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'sources' | 'workspace' | 'images'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'minFreeDiskBytes'>;
};

/**
 * Clones or extracts the source (spec 2, step 1). Idempotent: the directory is made anew, and a later attempt of a
 * build that knows its commit fetches that commit again.
 */
export async function fetchSource(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, facts, signal, onLine } = context;
  await requireFreeDisk(deps);
  const source = pinned(build.source, facts.commitSha);
  const workDir = deps.workspace.directory(build.buildId);
  const fetched = await deps.sources.fetch(source, workDir, { signal, onLine });
  return {
    workDir,
    ...(fetched.commitSha === null ? {} : { commitSha: fetched.commitSha }),
    ...(fetched.branch === null ? {} : { branch: fetched.branch }),
  };
}

/** A retry builds the commit the first build found, not what the branch holds now. */
function pinned(source: BuildSource, commit: string | undefined): BuildSource {
  return source.kind === 'git' && commit !== undefined ? { ...source, commit } : source;
}

async function requireFreeDisk(deps: Deps): Promise<void> {
  const required = deps.settings.minFreeDiskBytes;
  const places = [
    { what: 'the workspace', free: await deps.workspace.freeBytes() },
    { what: 'the image store', free: await deps.images.freeBytes() },
  ];
  for (const { what, free } of places) {
    if (free >= required) continue;
    const message = `The disk of ${what} has ${gib(free)} GiB free and a build needs ${gib(required)}. Remove old images or files, then retry.`;
    throw new FairleadError('DISK_FULL', message, { details: { freeBytes: free, requiredBytes: required } });
  }
}

const gib = (bytes: number) => (bytes / 1024 ** 3).toFixed(1);
