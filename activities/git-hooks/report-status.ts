import type { BuildRecord } from '../../domain/deploys/build.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import { FairleadError } from '../../domain/errors.ts';
import {
  type ConnectionRemoval,
  type GitConnection,
  sealingContext,
  TOKEN_KEY,
} from '../../domain/git-hooks/connection.ts';
import type { CommitStatus } from '../../domain/git-hooks/git-host.ts';
import { canDeliver } from '../../domain/git-hooks/git-host-of.ts';
import { type BuildReport, statusContext } from '../../domain/git-hooks/messages.ts';
import type { GitHooksActivityDeps } from './deps.ts';

export interface StatusInput {
  readonly report: BuildReport;
  /** `begun`: whatever the build is at. `ended`: how it ended. */
  readonly phase: 'begun' | 'ended';
}

/**
 * Shows on the commit how a build goes. Idempotent: a status takes the place of the one before it on its line. What the
 * provider refuses is noted on the connection, and ends no build.
 * @throws UNAVAILABLE, RATE_LIMITED (retryable)
 */
export async function reportStatus(
  deps: GitHooksActivityDeps,
  { report, phase }: StatusInput,
  signal: AbortSignal,
): Promise<void> {
  const connection = await findConnection(deps, report, phase);
  if (connection === null || connection.token === null || deps.gitHost === null || deps.cipher === null) return;
  const { provider, repository: repositoryUrl, apiUrl, token: sealed } = connection;
  if (!canDeliver(repositoryUrl)) return;
  const record = await deps.builds.find(report.buildId);
  if (await isToldByNewer(deps, report, record)) return;
  // A begin that comes late, as of a worker that was paused, shows what became of the build.
  const isOpen = phase === 'begun' && (record === null || !isTerminal(record.status));
  const status = isOpen ? pending(deps, report) : ended(deps, report, record);
  try {
    const token = deps.cipher.open(sealed, sealingContext(connection.id, TOKEN_KEY));
    await deps.gitHost.setStatus({ provider, repositoryUrl, apiUrl, token }, status, signal);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.retryable) throw error;
    // A forced push may have taken the commit away: that is no fault of the token.
    if (error.code === 'COMMIT_NOT_FOUND') return;
    const { code, message } = error;
    await deps.gitConnections.setTokenProblem(connection.id, sealed, { code, message, at: deps.now() });
    return;
  }
  if ('tokenProblem' in connection && connection.tokenProblem !== null)
    await deps.gitConnections.setTokenProblem(connection.id, sealed, null);
}

/** One that was removed meanwhile has its commits told of ends alone: nothing begins any more. */
async function findConnection(
  { gitConnections }: Pick<GitHooksActivityDeps, 'gitConnections'>,
  { connectionId }: BuildReport,
  phase: StatusInput['phase'],
): Promise<GitConnection | ConnectionRemoval | null> {
  const connection = await gitConnections.find(connectionId);
  if (connection !== null || phase === 'begun') return connection;
  return await gitConnections.findRemoval(connectionId);
}

const LATEST = { cursor: null, limit: 20 };

/**
 * Whether the same commit was pushed once more, as after a forced push and back: the newer build tells its line how that
 * goes, and the end of the older one may come later than its own. A build that a push asked for names itself as the request.
 */
async function isToldByNewer(
  { builds }: GitHooksActivityDeps,
  { commit, buildId }: BuildReport,
  record: BuildRecord | null,
): Promise<boolean> {
  if (record === null) return false;
  const { serviceId, environment, createdAt } = record;
  const { items } = await builds.list({ serviceId, environment }, LATEST);
  return items.some(
    ({ id, requestId, source, createdAt: at }) =>
      id !== buildId && id === requestId && at > createdAt && source.kind === 'git' && source.commit === commit,
  );
}

type Console = Pick<GitHooksActivityDeps, 'consoleUrl'>;

function pending(console: Console, report: BuildReport): CommitStatus {
  const description = `Build ${report.buildId} is on its way`;
  return { ...lineOf(report), state: 'pending', description, targetUrl: buildPage(console, report) };
}

function ended(console: Console, report: BuildReport, record: BuildRecord | null): CommitStatus {
  const line = lineOf(report);
  if (record?.status === 'completed') {
    return { ...line, state: 'success', description: `Live in ${report.environment}`, targetUrl: record.url };
  }
  return { ...line, ...failed(record), targetUrl: buildPage(console, report) };
}

/** Where people see the log of a build, once they have signed in. */
function buildPage({ consoleUrl }: Console, { buildId }: BuildReport): string | null {
  return consoleUrl === null ? null : `${consoleUrl}/builds/${buildId}`;
}

function lineOf(report: BuildReport): Pick<CommitStatus, 'commit' | 'context'> {
  return { commit: report.commit, context: statusContext(report) };
}

/** The step, as people know it, and the code alone: a message may quote what a build printed, and the commit may be public. */
function failed(record: BuildRecord | null): Pick<CommitStatus, 'state' | 'description'> {
  const { reason = 'abandoned', failure = null, id = '', supersededBy = null } = record ?? {};
  switch (reason) {
    case 'superseded':
      return { state: 'error', description: `Replaced by ${supersededBy ?? 'a newer build'} before it was installed` };
    case 'cancelled':
      return { state: 'error', description: `Build ${id} was cancelled` };
    case 'step_failed':
      return { state: 'failure', description: `Failed: ${stepTitle(record)} (${failure?.code ?? 'no code'})` };
    default:
      return { state: 'error', description: 'The build was not carried to its end' };
  }
}

function stepTitle(record: BuildRecord | null): string {
  const key = record?.failure?.step ?? null;
  return record?.steps.find((step) => step.key === key)?.title ?? key ?? 'before its first step';
}
