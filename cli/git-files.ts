import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { runGit } from './run-git.ts';

/** What git knows of a folder; paths are relative to it, with forward slashes. */
export interface GitFiles {
  /** Files and links that are tracked, whatever the ignore files say, with their objects; a submodule is one path. */
  readonly tracked: ReadonlyMap<string, string>;
  /** Neither tracked nor ignored; another repository inside is one path that ends with `/`. */
  readonly untracked: ReadonlySet<string>;
}

/**
 * Null where the folder is in no repository, or its repository ignores it, or git is not there.
 *
 * @throws when git finds a repository but cannot list it
 */
export async function readGitFiles(folder: string): Promise<GitFiles | null> {
  // No git, no repository, or one of another user that git does not read.
  const inside = await runGit(folder, ['rev-parse', '--is-inside-work-tree']).catch(() => '');
  if (inside.trim() !== 'true') return null;
  const [staged, others, ignored] = await Promise.all([
    runGit(folder, ['ls-files', '-z', '--stage']),
    runGit(folder, ['ls-files', '-z', '--others', '--exclude-standard']),
    isIgnored(folder),
  ]);
  // `<mode> <object> <stage>`, a tab, the path.
  const tracked = new Map(
    records(staged).map((line) => [line.slice(line.indexOf('\t') + 1), line.split(' ')[1] ?? ''] as const),
  );
  return ignored && tracked.size === 0 ? null : { tracked, untracked: new Set(records(others)) };
}

/**
 * Of tracked files those whose text is the tracked one, byte for byte. It is compared without git, which would run the
 * filters that the repository names, and take the plain text of an encrypted file for the tracked one.
 */
export async function unchangedFiles(
  folder: string,
  tracked: GitFiles['tracked'],
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const unchanged = new Set<string>();
  for (const path of paths) {
    const object = tracked.get(path) ?? '';
    if (object === (await objectName(join(folder, path), object.length))) unchanged.add(path);
  }
  return unchanged;
}

/** Tracked files that git stores in another form than they have here; not those of LFS, which hides nothing. */
export async function filteredFiles(folder: string, tracked: GitFiles['tracked']): Promise<readonly string[]> {
  const paths = [...tracked.keys()].map((path) => `${path}\0`).join('');
  // Path, `filter`, its value.
  const words = records(await runGit(folder, ['check-attr', '-z', '--stdin', 'filter'], paths));
  const named = words.flatMap((path, index) => {
    const filter = words[index + 2] ?? '';
    return index % 3 === 0 && !['unspecified', 'unset', 'set', 'lfs'].includes(filter) ? [path] : [];
  });
  const unchanged = await unchangedFiles(folder, tracked, named);
  return named.filter((path) => !unchanged.has(path));
}

/** Whether a folder is the top of a repository, not a part of the one around it. @throws when git does not read it */
export async function isRepositoryTop(folder: string): Promise<boolean> {
  return (await runGit(folder, ['rev-parse', '--show-prefix'])).trim() === '';
}

/** The name of the repository that a folder is the top of: that of its `origin`, else the folder's own. */
export async function repositoryName(folder: string): Promise<string | null> {
  try {
    if (!(await isRepositoryTop(folder))) return null;
    const origin = (await runGit(folder, ['remote', 'get-url', 'origin']).catch(() => '')).trim().replace(/\/+$/, '');
    const name = basename(origin.split(/[/:]/).at(-1) ?? '', '.git');
    return name === '' ? null : name;
  } catch {
    // No repository, or no git.
    return null;
  }
}

async function isIgnored(folder: string): Promise<boolean> {
  return runGit(folder, ['check-ignore', '--quiet', '.']).then(
    () => true,
    () => false,
  );
}

function records(text: string): string[] {
  return text.split('\0').slice(0, -1);
}

/** What git would call a file's bytes, in a repository whose names have that length; null for what is no file. */
async function objectName(path: string, length: number): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() !== true) return null;
  const text = await readFile(path);
  return createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${text.length}\0`)
    .update(text)
    .digest('hex');
}
