import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BuildSource } from '../../domain/deploys/build.ts';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import { parseBranchName, parseCommitId } from '../../domain/deploys/git-url.ts';
import type { ArchiveStore, FetchContext, SourceFetcher } from '../../domain/deploys/source-ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { extractArchive } from '../archives/extract-archive.ts';
import { readInside } from '../workspace/read-inside.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { cloneCommit } from './clone-commit.ts';
import { commitSubjects } from './commit-subjects.ts';
import { shown } from './git-errors.ts';
import { createRemote, type OpenRemote, type RemoteOptions, withRemote } from './open-remote.ts';
import { readRemoteHead } from './remote-refs.ts';

export interface SourceFetcherOptions extends RemoteOptions {
  readonly archives: ArchiveStore;
}

/** Commits without files are small; a server that sends the files all the same is not waited for. */
const MOST_LOG_BYTES = 64 * 1024 ** 2;

type GitSource = Extract<BuildSource, { kind: 'git' }>;
type ArchiveSource = Extract<BuildSource, { kind: 'archive' }>;

/**
 * Fetches source by git or from uploaded archives (spec 2, "Source access" and step 1). The tree it leaves has no
 * `.git`: nothing of the clone can get into an image. Submodules and Git LFS content are not fetched; the log says so.
 *
 * @throws VALIDATION_FAILED when a token has characters no token has.
 */
export function createSourceFetcher(options: SourceFetcherOptions): SourceFetcher {
  const remote = createRemote(options);
  return {
    async resolveHead(repository, branch, signal) {
      const name = parseBranchHint(branch);
      return await withRemote(remote, repository, signal, ({ session, place, address }) =>
        readRemoteHead(session, place, address, name),
      );
    },

    async commitSubjects({ url, org, since, until, limit }, signal) {
      const range = { since: since === null ? null : parseCommitId(since), until: parseCommitId(until), limit };
      return await withRemote({ ...remote, maxPackBytes: MOST_LOG_BYTES }, { url, org }, signal, (opened) =>
        commitSubjects({ ...opened, ...range }),
      );
    },

    async fetch(source, directory, context) {
      await removeTree(directory);
      await mkdir(dirname(directory), { recursive: true });
      try {
        if (source.kind === 'archive') return await fetchArchive(options.archives, source, directory, context);
        return await fetchGit(remote, source, directory, context);
      } catch (error) {
        await removeTree(directory);
        throw error;
      }
    },
  };
}

async function fetchGit(
  options: OpenRemote,
  source: GitSource,
  directory: string,
  context: FetchContext,
): Promise<{ commitSha: string; branch: string | null }> {
  const branch = parseBranchHint(source.branch);
  const commit = source.commit === null ? null : parseCommitId(source.commit);
  const { url } = source;
  const fetched = await withRemote(
    options,
    { url, org: context.org },
    context.signal,
    async ({ session, place, address }) => {
      context.onLine(`Fetching ${shown(place)} at ${commit ?? branch ?? 'its default branch'}`);
      return await cloneCommit({ session, place, url: address, directory, branch, commit });
    },
  );
  await removeTree(join(directory, '.git'));
  await warnOfMissingParts(directory, context);
  context.onLine(`Checked out ${fetched.commitSha}${fetched.branch === null ? '' : ` of ${fetched.branch}`}`);
  return fetched;
}

async function fetchArchive(
  archives: ArchiveStore,
  source: ArchiveSource,
  directory: string,
  { signal, onLine }: EffectContext,
): Promise<{ commitSha: null; branch: null }> {
  const hash = createHash('sha256');
  const content = await archives.open(source.archiveId);
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const extracted = await extractArchive(hashed(), directory, signal);
  if (hash.digest('hex') !== source.sha256) {
    throw new FairleadError('ARCHIVE_INVALID', 'The stored archive differs from the uploaded one; upload it again');
  }
  onLine(`Unpacked ${extracted.entries} entries, ${extracted.unpackedBytes} bytes`);
  if (extracted.strippedDirectory !== null) onLine(`Took off the directory ${extracted.strippedDirectory}/`);
  if (extracted.onlyDirectory !== null) {
    const remedy = 'if the app is in there, set the app path or pack its content';
    onLine(`The archive holds nothing but the directory ${extracted.onlyDirectory}/: ${remedy}`, 'warn');
  }
  return { commitSha: null, branch: null };
}

/** `HEAD` is what a remote on no branch answers with: the default. */
function parseBranchHint(branch: string | null): string | null {
  return branch === null || branch === 'HEAD' ? null : parseBranchName(branch);
}

async function warnOfMissingParts(directory: string, { onLine }: EffectContext): Promise<void> {
  // What cannot be read safely is of no interest here; whoever needs the file refuses it.
  const read = (name: string): Promise<string | null> => readInside(directory, name, 65_536).catch(() => null);
  const [modules, attributes] = await Promise.all([read('.gitmodules'), read('.gitattributes')]);
  if (modules !== null) onLine('The repository has submodules, which are not fetched', 'warn');
  if (/\bfilter=lfs\b/.test(attributes ?? '')) {
    onLine('The repository keeps files in Git LFS, which is not fetched: they are pointers', 'warn');
  }
}
