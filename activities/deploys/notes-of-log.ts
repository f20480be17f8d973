import type { BuildFacts } from '../../domain/deploys/facts.ts';
import { MOST_COMMITS, notesOfCommits, type ReleaseNotes } from '../../domain/deploys/release-notes.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';
import { requireServiceRegistry } from './registered-service.ts';
import { ownerOf } from './service-lookup.ts';
import type { StepContext } from './step.ts';

type Deps = Pick<DeploysDeps, 'services' | 'sources' | 'serviceRegistry'>;

/** A deploy waits for it. */
const PATIENCE_MS = 20_000;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * What is new by the subjects of the commits since the last deploy (spec 3, "Changelog flow"), for a repository without a
 * CHANGELOG.md; those of the newest commits where there was none. Null for what publishes no notes: an upload, and a
 * deploy to another environment than prod. `redact` takes the secrets out of each subject. No failure ends a deploy: it is a warning. Reads only.
 */
export async function notesOfLog(
  deps: Deps,
  context: StepContext,
  redact: (text: string) => string,
): Promise<ReleaseNotes | null> {
  const { build, facts, warn } = context;
  if (build.source.kind !== 'git' || build.environment !== 'prod' || facts.commitSha === undefined) return null;
  try {
    const subjects = await subjectsSinceLastDeploy(deps, context, build.source.url, facts.commitSha);
    return notesOfCommits(subjects, redact);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof FairleadError)) throw error;
    warn(`What is new could not be read from the git log, and the changelog stays as it is: ${error.message}`);
    return null;
  }
}

async function subjectsSinceLastDeploy(
  deps: Deps,
  { build, signal, onLine }: StepContext,
  url: string,
  until: NonNullable<BuildFacts['commitSha']>,
): Promise<readonly string[]> {
  const { serviceId, environment } = build;
  const last = await requireServiceRegistry(deps).lastManifest({ serviceId, environment }, signal);
  const commit = last?.manifest?.commit ?? '';
  // An upload has no commit.
  const since = COMMIT.test(commit) ? commit : null;
  const limit = AbortSignal.timeout(PATIENCE_MS);
  try {
    const org = await ownerOf(deps, serviceId);
    const range = { url, org, since, until, limit: MOST_COMMITS };
    const subjects = await deps.sources.commitSubjects(range, AbortSignal.any([signal, limit]));
    const which = since === null ? 'Newest commits' : `Commits since ${since.slice(0, 7)}`;
    onLine(`${which}: ${subjects.length}`);
    return subjects;
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) throw error;
    throw new FairleadError('SOURCE_UNREACHABLE', `it took longer than ${PATIENCE_MS / 1_000} s.`);
  }
}
