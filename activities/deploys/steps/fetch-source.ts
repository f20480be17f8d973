import type { BuildSource } from '../../../domain/deploys/build.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireFreeDisk } from '../free-disk.ts';
import { ownerOf } from '../service-lookup.ts';
import type { StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'services' | 'sources' | 'workspace' | 'images' | 'workflows'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'minFreeDiskBytes' | 'lowDiskBytes'>;
};

/**
 * Clones or extracts the source (spec 2, step 1). Idempotent: the directory is made anew, and a later attempt of a
 * build that knows its commit fetches that commit again.
 */
export async function fetchSource(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, facts, signal, onLine } = context;
  await requireFreeDisk(deps, context);
  const source = pinned(build.source, facts.commitSha);
  const workDir = deps.workspace.directory(build.buildId);
  const org = await ownerOf(deps, build.serviceId);
  const fetched = await deps.sources.fetch(source, workDir, { org, signal, onLine });
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
