import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseCommitId } from '../../domain/deploys/git-url.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { RefReader } from '../../domain/git-hooks/ports.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { FETCH, NOT_GIVEN } from './clone-commit.ts';
import { explainGitFailure, shown } from './git-errors.ts';
import { MAX_OUTPUT_BYTES } from './git-session.ts';
import { createRemote, type Remote, type RemoteOptions, withRemote } from './open-remote.ts';
import { SESSION_PREFIX } from './sweep-sessions.ts';

/** Commits and folders without files are small; a server that sends the files all the same is not waited for. */
const MOST_PACK_BYTES = 256 * 1024 ** 2;
const MOST_MESSAGE_LENGTH = 65_536;
const COMPARED_WITHIN_MS = 60_000;
/** A host that answers drop by drop keeps a place from the pushes of others. */
const READ_WITHIN_MS = 30_000;
/** What a server without filters, or git at its limits, says: then nothing is known of what changed. */
const TOO_LARGE = /File too large|filtering not recognized/i;
const PEELED = '^{}';

/**
 * Reads heads and what changed by git, with the builder's tokens and guards. Nothing is checked out, no file is fetched, and
 * what was fetched is removed.
 */
export function createRefReader(options: RemoteOptions, { readWithinMs = READ_WITHIN_MS } = {}): RefReader {
  const remote = { ...createRemote(options), maxPackBytes: MOST_PACK_BYTES };
  return {
    readRefs: (repository, signal, only) =>
      within(readWithinMs, signal, (limited) =>
        withRemote(remote, repository, limited, (opened) => readRefs(opened, only)),
      ),
    readMessage: (repository, commit, signal) =>
      within(readWithinMs, signal, (limited) =>
        withRemote(remote, repository, limited, (opened) =>
          withCommits(opened, [parseCommitId(commit)], async (directory) => {
            const show = ['log', '-1', '--format=%B', '--end-of-options', commit];
            const message = await opened.session.run(show, directory);
            return message.slice(0, MOST_MESSAGE_LENGTH);
          }),
        ),
      ),
    async hasChanged({ url, org, base, head, paths }, signal) {
      if (base.length !== head.length) return null;
      const deadline = AbortSignal.timeout(COMPARED_WITHIN_MS);
      try {
        return await withRemote(remote, { url, org }, AbortSignal.any([signal, deadline]), (opened) =>
          withCommits(opened, [parseCommitId(head), parseCommitId(base)], (directory) =>
            differs(opened, directory, { base, head, paths }),
          ),
        );
      } catch (error) {
        signal.throwIfAborted();
        if (deadline.aborted || isTooLarge(error)) return null;
        throw error;
      }
    },
  };
}

/** @throws SOURCE_UNREACHABLE (retryable) when it takes longer */
async function within<T>(ms: number, signal: AbortSignal, read: (limited: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = AbortSignal.timeout(ms);
  try {
    return await read(AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.aborted) throw error;
    const message = `The git host did not answer within ${ms / 1000} s`;
    throw new FairleadError('SOURCE_UNREACHABLE', message, { retryable: true, cause: error });
  }
}

async function readRefs(
  { session, place, address }: Remote,
  only?: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = only?.flatMap((ref) => [ref, ref + PEELED]) ?? [];
  const output = await session.run(['ls-remote', '--heads', '--tags', '--', address, ...wanted.map(literal)]);
  if (Buffer.byteLength(output) >= MAX_OUTPUT_BYTES) {
    throw new FairleadError('SOURCE_REFUSED', `${shown(place)} has more branches and tags than can be read`);
  }
  const found = new Map<string, string>();
  for (const line of output.split('\n')) {
    const [commit = '', name = ''] = line.split('\t');
    if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(commit)) continue;
    // Git lists the commit of a tag with a message of its own right after the tag.
    found.set(name.endsWith(PEELED) ? name.slice(0, -PEELED.length) : name, commit);
  }
  if (only === undefined) return found;
  return new Map(only.flatMap((ref) => (found.has(ref) ? [[ref, found.get(ref) ?? '']] : [])));
}

/** A name that ls-remote does not read as a pattern; names of refs hold none of `*?[\`. */
function literal(ref: string): string {
  if (/[*?[\\]/.test(ref)) throw new FairleadError('SOURCE_REFUSED', 'That is not the name of a branch or tag.');
  return ref;
}

/** Gives `work` a repository with those commits and their folders, without files and history; null when git gives them not. */
async function withCommits<T>(
  { session, place, address }: Remote,
  commits: readonly string[],
  work: (directory: string) => Promise<T>,
): Promise<T | null> {
  // Named as a session is, whose sweep removes what a killed process left.
  const directory = await mkdtemp(join(tmpdir(), `${SESSION_PREFIX}${process.pid}-refs-`));
  try {
    const objects = commits.some(({ length }) => length === 64) ? 'sha256' : 'sha1';
    await session.run(['init', '--quiet', `--object-format=${objects}`, '--', directory]);
    const filter = commits.length === 1 ? '--filter=tree:0' : '--filter=blob:none';
    // A repository of which a part is fetched must have a name that is no path.
    const from = place.target.kind === 'local' ? pathToFileURL(place.target.path).href : address;
    const result = await session.attempt([...FETCH, '--depth=1', filter, '--', from, ...commits], directory);
    if (result.exitCode === 0) return await work(directory);
    if (NOT_GIVEN.test(result.stderr)) return null;
    throw explainGitFailure(result.stderr, place);
  } finally {
    await removeTree(directory);
  }
}

/** Git matches the paths: in a process of its own, which is ended when it takes long. */
async function differs(
  { session, place }: Remote,
  directory: string,
  { base, head, paths }: { readonly base: string; readonly head: string; readonly paths: readonly string[] },
): Promise<boolean> {
  const list = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--end-of-options', base, head, '--'];
  const result = await session.attempt([...list, ...paths.map(pathspec)], directory);
  if (result.exitCode !== 0) throw explainGitFailure(result.stderr, place);
  return result.stdout !== '';
}

/** A path names a file, or all below a folder. */
function pathspec(glob: string): string {
  return glob.startsWith('!') ? `:(top,glob,exclude)${glob.slice(1)}` : `:(top,glob)${glob}`;
}

function isTooLarge(error: unknown): boolean {
  if (!(error instanceof FairleadError)) return false;
  const { git } = (error.details ?? {}) as { readonly git?: unknown };
  return typeof git === 'string' && TOO_LARGE.test(git);
}
