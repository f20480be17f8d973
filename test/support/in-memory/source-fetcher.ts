import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { closeNames } from '../../../adapters/git/close-names.ts';
import type { BuildSource } from '../../../domain/deploys/build.ts';
import { parseBranchName, parseCommitId, parseGitUrl } from '../../../domain/deploys/git-url.ts';
import type { ArchiveStore, SourceFetcher } from '../../../domain/deploys/source-ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { FileTree } from './file-tree.ts';
import { DEFAULT_BRANCH, type InMemoryRepository, type RepositoryFiles } from './repository.ts';

export interface InMemorySourceFetcherOptions {
  readonly files: FileTree;
  readonly archives: ArchiveStore;
  /** Repositories by address, as git is given it: `https://…` or an absolute path. */
  readonly repositories: ReadonlyMap<string, InMemoryRepository>;
  /** Addresses of hosts that do not answer. */
  readonly unreachable?: ReadonlySet<string>;
  readonly gitUrl?: string | null;
  readonly localSourcesRoot?: string | null;
}

type GitSource = Extract<BuildSource, { kind: 'git' }>;
type ArchiveSource = Extract<BuildSource, { kind: 'archive' }>;
type Fetched = Awaited<ReturnType<SourceFetcher['fetch']>>;

/** Fetches from repositories and archives of this process into its file tree. */
export function createInMemorySourceFetcher(options: InMemorySourceFetcherOptions): SourceFetcher {
  const { files } = options;
  return {
    async resolveHead({ url }, branch, signal) {
      signal.throwIfAborted();
      const name = branch === null || branch === 'HEAD' ? null : parseBranchName(branch);
      return headOf(open(options, url), name ?? DEFAULT_BRANCH);
    },
    async commitSubjects({ url, since, until, limit }, signal) {
      signal.throwIfAborted();
      const { log } = open(options, url);
      if (!log.has(until) || (since !== null && !log.has(since))) return [];
      const before = new Set(historyOf(log, since));
      return historyOf(log, until)
        .filter((id) => !before.has(id))
        .slice(0, limit)
        .flatMap((id) => log.get(id)?.subject ?? []);
    },
    async fetch(source, directory, { signal, onLine }) {
      files.remove(directory);
      signal.throwIfAborted();
      const { tree, ...fetched } =
        source.kind === 'archive' ? await unpack(options.archives, source) : checkOut(options, source);
      files.put(directory, { kind: 'directory' });
      for (const [path, content] of Object.entries(tree)) files.put(posix.join(directory, path), entryOf(content));
      onLine(fetched.commitSha === null ? 'Unpacked the archive' : `Checked out ${fetched.commitSha}`);
      return fetched;
    },
  };
}

/** A commit and those before it, newest first. */
function historyOf(log: InMemoryRepository['log'], commit: string | null): string[] {
  const found: string[] = [];
  for (let id = commit ?? ''; log.has(id); id = log.get(id)?.parent ?? '') found.push(id);
  return found;
}

function entryOf(content: RepositoryFiles[string]) {
  return typeof content === 'string'
    ? ({ kind: 'file', text: content, mode: 0o644 } as const)
    : ({ kind: 'link', target: content.link } as const);
}

function open(options: InMemorySourceFetcherOptions, url: string): InMemoryRepository {
  const { repositories, unreachable = new Set(), gitUrl = null, localSourcesRoot = '/' } = options;
  const target = parseGitUrl(url, gitUrl);
  const address = target.kind === 'local' ? target.path : target.url;
  if (target.kind === 'local' && localSourcesRoot === null) {
    throw new FairleadError('SOURCE_REFUSED', 'Local repositories are off on this builder');
  }
  if (unreachable.has(address)) {
    throw new FairleadError('SOURCE_UNREACHABLE', `${address} cannot be reached`, { retryable: true });
  }
  const repository = repositories.get(address);
  if (repository === undefined) throw new FairleadError('SOURCE_MISSING', `${address} is not a git repository`);
  if (repository.branches.size === 0) throw new FairleadError('SOURCE_MISSING', `${address} is empty`);
  return repository;
}

function headOf({ branches }: InMemoryRepository, branch: string): { commit: string; branch: string } {
  const commit = branches.get(branch);
  if (commit !== undefined) return { commit, branch };
  const close = closeNames(branch, [...branches.keys()]).join(', ');
  throw new FairleadError('SOURCE_MISSING', `It has no branch ${branch}; give one of its branches: ${close}`);
}

function checkOut(options: InMemorySourceFetcherOptions, source: GitSource): Fetched & { tree: RepositoryFiles } {
  const branch = source.branch === null || source.branch === 'HEAD' ? null : parseBranchName(source.branch);
  const wanted = source.commit === null ? null : parseCommitId(source.commit);
  const repository = open(options, source.url);
  if (wanted === null) {
    const head = headOf(repository, branch ?? DEFAULT_BRANCH);
    return { commitSha: head.commit, branch: head.branch, tree: repository.commits.get(head.commit) ?? {} };
  }
  const [commitSha, ...others] = [...repository.commits.keys()].filter((id) => id.startsWith(wanted));
  if (commitSha === undefined || others.length > 0) {
    throw new FairleadError('COMMIT_NOT_FOUND', `It has no commit ${wanted}; if it exists, give its full id`);
  }
  return { commitSha, branch, tree: repository.commits.get(commitSha) ?? {} };
}

async function unpack(archives: ArchiveStore, source: ArchiveSource): Promise<Fetched & { tree: RepositoryFiles }> {
  const packed = await buffer(await archives.open(source.archiveId));
  if (createHash('sha256').update(packed).digest('hex') !== source.sha256) {
    throw new FairleadError('ARCHIVE_INVALID', 'The stored archive differs from the uploaded one; upload it again');
  }
  return { commitSha: null, branch: null, tree: await filesOf(packed) };
}

/** The regular files of a gzip-compressed tar. @throws ARCHIVE_INVALID */
async function filesOf(packed: Buffer): Promise<RepositoryFiles> {
  const tree: Record<string, string> = {};
  try {
    const entries = extract();
    entries.end(gunzipSync(packed));
    for await (const entry of entries) {
      const text = (await buffer(entry)).toString('utf8');
      if (entry.header.type === 'file') tree[entry.header.name] = text;
    }
  } catch (cause) {
    throw new FairleadError('ARCHIVE_INVALID', 'The archive is no gzip-compressed tar', { cause });
  }
  return tree;
}
