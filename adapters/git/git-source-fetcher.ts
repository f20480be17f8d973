import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { BuildSource } from '../../domain/deploys/build.ts';
import { type GitUrl, parseBranchName, parseCommitId, parseGitUrl } from '../../domain/deploys/git-url.ts';
import type { ArchiveStore, EffectContext, SourceFetcher } from '../../domain/deploys/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { extractArchive } from '../archives/extract-archive.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { type Lookup, systemLookup } from '../public-address.ts';
import { readInside } from '../workspace/read-inside.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { resolvePublicAddresses } from './address-guard.ts';
import { cloneCommit } from './clone-commit.ts';
import { commitSubjects } from './commit-subjects.ts';
import { type GitPlace, shown } from './git-errors.ts';
import { type GitSession, withGitSession } from './git-session.ts';
import { createGitCheck, type RequireGit } from './git-version.ts';
import { readRemoteHead } from './remote-refs.ts';

export interface SourceFetcherOptions {
  /** The platform's own git host; null when there is none. */
  readonly gitUrl: string | null;
  /** Sent to the host of `gitUrl` alone. */
  readonly gitToken: string | null;
  /** Sent to github.com alone. */
  readonly githubToken: string | null;
  /** Folder that local repositories lie below; null where they are off. */
  readonly localSourcesRoot: string | null;
  readonly archives: ArchiveStore;
  /** Environment of git: PATH, certificates, proxies. No secrets. */
  readonly env: ProcessEnv;
  /** Resolves host names; the system's resolver by default. */
  readonly lookup?: Lookup;
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
  requireToken('GIT_TOKEN', options.gitToken);
  requireToken('GITHUB_TOKEN', options.githubToken);
  const remote: OpenRemote = { ...options, requireGit: createGitCheck(options.env) };
  return {
    async resolveHead(url, branch, signal) {
      const name = parseBranchHint(branch);
      return await withRemote(remote, url, signal, ({ session, place, address }) =>
        readRemoteHead(session, place, address, name),
      );
    },

    async commitSubjects({ url, since, until, limit }, signal) {
      const range = { since: since === null ? null : parseCommitId(since), until: parseCommitId(until), limit };
      return await withRemote({ ...remote, maxPackBytes: MOST_LOG_BYTES }, url, signal, (opened) =>
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
  context: EffectContext,
): Promise<{ commitSha: string; branch: string | null }> {
  const branch = parseBranchHint(source.branch);
  const commit = source.commit === null ? null : parseCommitId(source.commit);
  const fetched = await withRemote(options, source.url, context.signal, async ({ session, place, address }) => {
    context.onLine(`Fetching ${shown(place)} at ${commit ?? branch ?? 'its default branch'}`);
    return await cloneCommit({ session, place, url: address, directory, branch, commit });
  });
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

interface OpenRemote extends SourceFetcherOptions {
  readonly maxPackBytes?: number;
  readonly requireGit: RequireGit;
}

interface Remote {
  readonly session: GitSession;
  readonly place: GitPlace;
  /** What git is given: an address without credentials, or an absolute path. */
  readonly address: string;
}

async function withRemote<T>(
  options: OpenRemote,
  url: string,
  signal: AbortSignal,
  work: (remote: Remote) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const target = parseGitUrl(url, options.gitUrl);
  if (target.kind === 'local') await requireAllowed(target.path, options.localSourcesRoot);
  await options.requireGit(signal, target.kind);
  const { variable, token } = tokenFor(target, options);
  const place: GitPlace = { target, tokenVariable: variable, tokenSent: token !== null };
  const guarded = target.kind === 'http' && !target.ofPlatform;
  const session = {
    place,
    credential: token === null ? null : { username: variable === 'GITHUB_TOKEN' ? 'x-access-token' : 'oauth2', token },
    pinnedAddresses: guarded ? await resolvePublicAddresses(target.hostname, options.lookup ?? systemLookup) : [],
    env: options.env,
    signal,
    ...(options.maxPackBytes === undefined ? {} : { maxPackBytes: options.maxPackBytes }),
  };
  const address = target.kind === 'local' ? target.path : target.url;
  return await withGitSession(session, (git) => work({ session: git, place, address }));
}

/** Links are followed before folders are compared. @throws SOURCE_REFUSED, SOURCE_MISSING */
async function requireAllowed(path: string, root: string | null): Promise<void> {
  if (root === null) {
    const message = 'Local repositories are off on this builder; use an address, or set LOCAL_SOURCES_ROOT';
    throw new FairleadError('SOURCE_REFUSED', message);
  }
  const real = await realpath(path).catch((cause: unknown) => {
    throw new FairleadError('SOURCE_MISSING', `${path} is not a folder of the builder's machine`, { cause });
  });
  const inside = relative(await realpath(root).catch(() => root), real);
  if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return;
  const message = `${path} is outside of ${root}; move it there, or start the platform with LOCAL_SOURCES_ROOT set to a folder above it`;
  throw new FairleadError('SOURCE_REFUSED', message);
}

/** Each token goes to one host. */
function tokenFor(
  target: GitUrl,
  { gitToken, githubToken }: SourceFetcherOptions,
): { variable: GitPlace['tokenVariable']; token: string | null } {
  if (target.kind === 'local') return { variable: null, token: null };
  const isGithub = new URL(target.url).origin === 'https://github.com';
  if (target.ofPlatform && (gitToken !== null || !isGithub)) return { variable: 'GIT_TOKEN', token: gitToken };
  return isGithub ? { variable: 'GITHUB_TOKEN', token: githubToken } : { variable: null, token: null };
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

function requireToken(variable: string, token: string | null): void {
  if (token === null || /^[\x21-\x7e]+$/.test(token)) return;
  throw new FairleadError('VALIDATION_FAILED', `${variable} contains blanks or line ends; set it to the bare token`);
}
