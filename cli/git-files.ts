import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LIMIT_BYTES = 256 * 1024 * 1024;

/** What git knows of a folder; paths are relative to it, with forward slashes. */
export interface GitFiles {
  /** Files and links that are tracked, whatever the ignore files say; a submodule is one path. */
  readonly tracked: ReadonlySet<string>;
  /** Neither tracked nor ignored; another repository inside is one path that ends with `/`. */
  readonly untracked: ReadonlySet<string>;
}

/** Null where the folder is in no repository, or its repository ignores it, or git is not there. */
export async function readGitFiles(folder: string): Promise<GitFiles | null> {
  const list = async (...args: string[]): Promise<ReadonlySet<string>> =>
    new Set((await git(folder, 'ls-files', '-z', ...args)).split('\0').filter((path) => path !== ''));
  try {
    if ((await git(folder, 'rev-parse', '--is-inside-work-tree')).trim() !== 'true') return null;
    const [tracked, untracked, ignored] = await Promise.all([
      list('--cached'),
      list('--others', '--exclude-standard'),
      isIgnored(folder),
    ]);
    return ignored && tracked.size === 0 ? null : { tracked, untracked };
  } catch {
    // No git, no repository, or one of another user that git does not read.
    return null;
  }
}

/** Of tracked files those whose text is the tracked one. */
export async function unchangedFiles(folder: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const unchanged = await Promise.all(
    paths.map(async (path) => {
      const [, tracked = ''] = (await git(folder, 'ls-files', '--stage', '--', `:(literal)${path}`)).split(' ');
      const now = await git(folder, 'hash-object', '--', path).catch(() => '');
      return tracked === now.trim() ? [path] : [];
    }),
  );
  return new Set(unchanged.flat());
}

/** The name of the repository that a folder is the top of: that of its `origin`, else the folder's own. */
export async function repositoryName(folder: string): Promise<string | null> {
  try {
    if ((await git(folder, 'rev-parse', '--show-prefix')).trim() !== '') return null;
    const origin = (await git(folder, 'remote', 'get-url', 'origin').catch(() => '')).trim().replace(/\/+$/, '');
    const name = basename(origin.split(/[/:]/).at(-1) ?? '', '.git');
    return name === '' ? null : name;
  } catch {
    // No repository, or no git.
    return null;
  }
}

async function isIgnored(folder: string): Promise<boolean> {
  return git(folder, 'check-ignore', '--quiet', '.').then(
    () => true,
    () => false,
  );
}

/** Runs no program that the repository names for its own speed. */
async function git(folder: string, ...args: string[]): Promise<string> {
  const command = ['-C', folder, '-c', 'core.fsmonitor=false', ...args];
  return (await run('git', command, { maxBuffer: LIMIT_BYTES })).stdout;
}
