import { FairleadError } from '../../domain/errors.ts';
import { closeNames } from './close-names.ts';
import { type GitPlace, shown } from './git-errors.ts';
import type { GitSession } from './git-session.ts';

export interface RemoteHead {
  /** Full id. */
  readonly commit: string;
  /** `HEAD` when the remote is on no branch. */
  readonly branch: string;
}

/**
 * The commit at the head of a branch, or of the default branch.
 * @throws SOURCE_MISSING for an empty repository or an unknown branch, naming close ones; what the git failure means.
 */
export async function readRemoteHead(
  session: GitSession,
  place: GitPlace,
  url: string,
  branch: string | null,
): Promise<RemoteHead> {
  const wanted = branch === null ? 'HEAD' : `refs/heads/${branch}`;
  const output = await session.run(['ls-remote', '--symref', '--', url, wanted]);
  const lines = output.split('\n').map((line) => line.split('\t'));
  const commit = lines.find(([id, name]) => name === wanted && id?.startsWith('ref:') === false)?.[0];
  if (commit === undefined) throw await missingBranch(session, place, url, branch);
  const symbolic = lines.find(([id, name]) => name === 'HEAD' && id?.startsWith('ref: refs/heads/'))?.[0];
  return { commit, branch: branch ?? symbolic?.slice('ref: refs/heads/'.length) ?? 'HEAD' };
}

/** The ids of branch and tag heads that begin with `prefix`, each once. */
export async function remoteHeadsLike(session: GitSession, url: string, prefix: string): Promise<readonly string[]> {
  const output = await session.run(['ls-remote', '--heads', '--tags', '--', url]);
  const ids = output.split('\n').map((line) => line.split('\t')[0] ?? '');
  return [...new Set(ids.filter((id) => id.startsWith(prefix)))];
}

/** Why a branch is not there: the repository is empty, or others are close. */
export async function missingBranch(
  session: GitSession,
  place: GitPlace,
  url: string,
  branch: string | null,
): Promise<FairleadError> {
  const output = await session.run(['ls-remote', '--heads', '--', url]);
  const names = output.split('\n').flatMap((line) => line.split('\trefs/heads/').slice(1));
  if (names.length === 0) {
    return new FairleadError('SOURCE_MISSING', `${shown(place)} is empty; push a commit to it first`);
  }
  const close = closeNames(branch ?? 'main', names);
  const problem = branch === null ? 'has no default branch' : `has no branch ${branch}`;
  return new FairleadError(
    'SOURCE_MISSING',
    `${shown(place)} ${problem}; give one of its branches: ${close.join(', ')}`,
    {
      details: { branch, close },
    },
  );
}
