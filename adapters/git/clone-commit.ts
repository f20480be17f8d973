import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError } from '../../domain/errors.ts';
import type { ProcessResult } from '../process/run-process.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { explainGitFailure, type GitPlace, shown } from './git-errors.ts';
import type { GitSession } from './git-session.ts';
import { missingBranch, remoteHeadsLike } from './remote-refs.ts';
import { requireTreeWithin } from './tree-size.ts';

export interface CloneInput {
  readonly session: GitSession;
  readonly place: GitPlace;
  readonly url: string;
  /** Absolute; does not exist. */
  readonly directory: string;
  readonly branch: string | null;
  /** Full id or abbreviation. */
  readonly commit: string | null;
}

export const FETCH = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-auto-gc'];
/** Without `--no-local`, a repository of this machine would be copied with all of its history, unchecked. */
const CLONE = [
  'clone',
  '--no-checkout',
  '--quiet',
  '--depth=1',
  '--single-branch',
  '--no-tags',
  '--no-local',
  '--no-recurse-submodules',
];
const HEADS = 'ref: refs/heads/';
/** Commits of the branch that are looked through before all history of all branches is. */
const BRANCH_DEPTH = 200;
const ALL_DEPTH = 2_147_483_647;
/** Servers that give out branch heads only answer so to a request for another commit; so do all for an unknown one. */
export const NOT_GIVEN = /not our ref|unadvertised object|find remote ref|want [0-9a-f]+ not valid/i;
const NO_SUCH_REF = /couldn't find remote ref/i;

/**
 * Fetches one commit without its history and checks it out once it is known to be of a bearable size. The head of the
 * default branch takes three git processes, as each one costs a large process like ours some time; another commit takes four
 * when the server gives it out. A server that gives out branch heads only is asked for the branch (200 commits deep), then for everything.
 * @returns the full commit id, and the branch when it is known.
 * @throws COMMIT_NOT_FOUND, SOURCE_MISSING; what the git failure means.
 */
export async function cloneCommit(input: CloneInput): Promise<{ commitSha: string; branch: string | null }> {
  const { branch, commit } = input;
  if (commit === null && branch !== null) {
    await fetchBranch(input, branch);
    return { commitSha: await checkOut(input, 'FETCH_HEAD'), branch };
  }
  if (commit === null) return await cloneDefaultBranch(input);
  const wanted = await expand(input, commit);
  await init(input, wanted.length === 64);
  const found = wanted.length >= 40 && (await fetchExact(input, wanted)) ? 'FETCH_HEAD' : await search(input, wanted);
  return { commitSha: await checkOut(input, found), branch };
}

async function cloneDefaultBranch(input: CloneInput): Promise<{ commitSha: string; branch: string | null }> {
  const { session, place, url, directory } = input;
  const result = await session.attempt([...CLONE, '--', url, directory]);
  if (result.exitCode !== 0) throw explainGitFailure(result.stderr, place);
  const head = (await readFile(join(directory, '.git', 'HEAD'), 'utf8')).trim();
  // A remote on no branch. Git names one all the same where one is at that very commit.
  if (!head.startsWith(HEADS)) return { commitSha: await checkOut(input, head), branch: null };
  const branch = head.slice(HEADS.length);
  const commit = await readFile(join(directory, '.git', 'refs', 'heads', branch), 'utf8').catch(() => null);
  if (commit === null) throw await missingBranch(session, place, url, null);
  return { commitSha: await checkOut(input, commit.trim()), branch };
}

/** An abbreviation that one branch or tag head begins with becomes that head's id. */
async function expand({ session, url }: CloneInput, commit: string): Promise<string> {
  if (commit.length >= 40) return commit;
  const heads = await remoteHeadsLike(session, url, commit);
  return heads.length === 1 && heads[0] !== undefined ? heads[0] : commit;
}

async function init({ session, directory }: CloneInput, sha256: boolean): Promise<void> {
  // Named as an argument: a directory in the environment must exist before git starts there.
  await session.run(['init', '--quiet', `--object-format=${sha256 ? 'sha256' : 'sha1'}`, '--', directory]);
}

async function fetchBranch(input: CloneInput, branch: string): Promise<void> {
  const { session, url, directory, place } = input;
  const fetch = (): Promise<ProcessResult> =>
    session.attempt([...FETCH, '--depth=1', '--', url, `refs/heads/${branch}`], directory);
  await init(input, false);
  let result = await fetch();
  if (/mismatched algorithms/.test(result.stderr)) {
    await removeTree(directory);
    await init(input, true);
    result = await fetch();
  }
  if (result.exitCode === 0) return;
  throw NO_SUCH_REF.test(result.stderr)
    ? await missingBranch(session, place, url, branch)
    : explainGitFailure(result.stderr, place);
}

async function fetchExact({ session, url, directory, place }: CloneInput, commit: string): Promise<boolean> {
  const result = await session.attempt([...FETCH, '--depth=1', '--', url, commit], directory);
  if (result.exitCode === 0) return true;
  if (NOT_GIVEN.test(result.stderr)) return false;
  throw explainGitFailure(result.stderr, place);
}

/** Looks for a commit, full or abbreviated, in the branch, then in all branches and tags. Returns its full id. */
async function search(input: CloneInput, commit: string): Promise<string> {
  const { session, url, directory, place, branch } = input;
  if (branch !== null) {
    const refs = `+refs/heads/${branch}:refs/found/branch`;
    const result = await session.attempt([...FETCH, `--depth=${BRANCH_DEPTH}`, '--', url, refs], directory);
    // The branch is a hint: it may be gone by now.
    if (result.exitCode !== 0 && !NO_SUCH_REF.test(result.stderr)) throw explainGitFailure(result.stderr, place);
    const found = await resolveCommit(input, commit);
    if (found !== null) return found;
  }
  const everything = ['+refs/heads/*:refs/found/heads/*', '+refs/tags/*:refs/found/tags/*'];
  await session.run([...FETCH, `--depth=${ALL_DEPTH}`, '--', url, ...everything], directory);
  const found = await resolveCommit(input, commit);
  if (found !== null) return found;
  throw notFound(place, commit);
}

async function resolveCommit({ session, directory }: CloneInput, commit: string): Promise<string | null> {
  const result = await session.attempt(['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], directory);
  return result.exitCode === 0 ? result.stdout.trim() : null;
}

/**
 * Overrules `.gitattributes`: a checkout writes the bytes of the commit, no more than were counted. An encoding, line ends
 * or `$Id$` would make files up to twelve times as large. An encoding cannot be switched off, only left unspecified.
 */
const NO_CONVERSIONS = '* -text -ident -filter !working-tree-encoding\n';

async function checkOut(input: CloneInput, what: string): Promise<string> {
  const { session, directory, place, commit } = input;
  const listed = await requireTreeWithin(input, what);
  await mkdir(join(directory, '.git', 'info'), { recursive: true });
  await writeFile(join(directory, '.git', 'info', 'attributes'), NO_CONVERSIONS);
  const checkout = ['checkout', '--quiet', '--force', '--detach', what];
  const result = listed.exitCode === 0 ? await session.attempt(checkout, directory) : listed;
  if (result.exitCode !== 0) {
    const noCommit = /not a commit|not a tree|non-commit|Cannot switch/i.test(result.stderr);
    throw noCommit && commit !== null ? notFound(place, commit) : explainGitFailure(result.stderr, place);
  }
  return (await readFile(join(directory, '.git', 'HEAD'), 'utf8')).trim();
}

function notFound(place: GitPlace, commit: string): FairleadError {
  const short = commit.length < 40 ? '; if it exists, give its full id' : '';
  return new FairleadError('COMMIT_NOT_FOUND', `${shown(place)} has no commit ${commit}; push it first${short}`, {
    details: { commit },
  });
}
