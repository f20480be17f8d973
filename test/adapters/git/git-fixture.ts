import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createArchiveStore } from '../../../adapters/archives/archive-store.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createSourceFetcher, type SourceFetcherOptions } from '../../../adapters/git/git-source-fetcher.ts';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import type { GitOwner } from '../../../domain/deploys/git-credential.ts';
import type { ArchiveStore, SourceFetcher } from '../../../domain/deploys/source-ports.ts';
import { SUITE_COMMITS } from '../../ports/source-fetcher.ts';
import { type GitHttpServer, startGitHttpServer } from './git-http-server.ts';

type CommitFiles = (typeof SUITE_COMMITS)[number];

export interface GitFixture {
  /** Removed at the end. */
  readonly base: string;
  /** The repository of the port's suite, also served as `<host.url>/app`. */
  readonly repository: string;
  /** Commits of `main`, oldest first; the first one is the head of `release/1.0`. */
  readonly commits: readonly string[];
  /** Where tests fetch to. */
  readonly target: string;
  readonly host: GitHttpServer;
  readonly archives: ArchiveStore;
  /** Log lines since the last {@link GitFixture.reset}. */
  readonly lines: string[];
  fetcher(changes?: Partial<SourceFetcherOptions>): SourceFetcher;
  git(...args: string[]): string;
  commit(files: CommitFiles): string;
  reset(): void;
  end(): Promise<void>;
}

/** A real repository, and a real git host that serves it to those who have the token. */
export async function makeGitFixture(token: string): Promise<GitFixture> {
  const base = mkdtempSync(join(tmpdir(), 'git-fetcher-'));
  const repository = join(base, 'repos', 'app');
  const archives = createArchiveStore({ directory: join(base, 'archives'), newId });
  const git = (...args: string[]): string => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
    return execFileSync('git', ['-C', repository, ...identity, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  };
  let made = 0;
  const commit = (files: CommitFiles): string => {
    for (const [name, content] of Object.entries(files)) {
      if (typeof content === 'string') writeFileSync(join(repository, name), content);
      else symlinkSync(content.link, join(repository, name));
    }
    git('add', '-A');
    made += 1;
    git('commit', '-qm', `change ${made}`);
    return git('rev-parse', 'HEAD');
  };
  mkdirSync(repository, { recursive: true });
  git('init', '-q', '-b', 'main');
  const commits = SUITE_COMMITS.map(commit);
  git('branch', 'release/1.0', commits[0] ?? '');
  const host = await startGitHttpServer(join(base, 'repos'), token);
  const lines: string[] = [];
  const tokens = { gitToken: token, githubToken: null, gitOwners: ownersOf(host.url), repositoryTokens: null };
  const options = { ...tokens, gitUrl: host.url, localSourcesRoot: '/', archives };
  return {
    ...{ base, repository, commits, host, archives, lines, git, commit },
    target: join(base, 'workspace', 'bld_1'),
    fetcher: (changes = {}) => createSourceFetcher({ ...options, env: baseEnv(process.env), ...changes }),
    reset() {
      lines.length = 0;
      host.requests.length = 0;
      host.answer = 'serve';
      host.protocol2 = true;
    },
    async end() {
      await host.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** A host that is acme's altogether. */
export const ownersOf = (url: string): readonly GitOwner[] => [{ org: 'acme', host: new URL(url).host, path: [] }];

export const ofAcme = (url: string) => ({ url, org: 'acme' });

/** Private directories of git sessions of this process. */
export const openSessions = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`fairlead-git-${process.pid}-`));

/** Text by path below a directory, links as `→ target`; null when there is no directory. */
export function readTree(directory: string): Record<string, string> | null {
  if (!existsSync(directory)) return null;
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((row) => !row.isDirectory());
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const content = entry.isSymbolicLink() ? `→ ${readlinkSync(path)}` : readFileSync(path, 'utf8');
      return [relative(directory, path), content];
    }),
  );
}
