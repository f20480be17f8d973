import { execFile } from 'node:child_process';
import { env } from 'node:process';

const LIMIT_BYTES = 256 * 1024 * 1024;

/** What else would name another repository than the folder's, for instance inside a hook. */
const OTHER_REPOSITORY = /^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE|PREFIX)$/;

/** A part of a repository that is not there is not fetched: its configuration names the program that would. */
const CLOSED = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '', GIT_OPTIONAL_LOCKS: '0' };

/** Programs that a repository names to learn of changes, and hooks. */
const NO_PROGRAMS = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/**
 * What git prints in a folder. The folder may be a stranger's: no program that its configuration names is run, except
 * by commands that apply filters (`status`, `add`, `hash-object`), which need `withoutFilters`.
 *
 * @throws the error of the process, with `stderr`
 */
export function runGit(
  folder: string,
  args: readonly string[],
  input = '',
  more: NodeJS.ProcessEnv = {},
): Promise<string> {
  const kept = Object.entries(env).filter(([name]) => !OTHER_REPOSITORY.test(name));
  const options = { maxBuffer: LIMIT_BYTES, env: { ...Object.fromEntries(kept), ...CLOSED, ...more } };
  return new Promise((resolve, reject) => {
    const child = execFile('git', ['-C', folder, ...NO_PROGRAMS, ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(Object.assign(error, { stderr }));
    });
    // A git that ends before it read everything has said why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** An environment for `runGit` that turns off the filters of the repository's own configuration; the user's stay. */
export async function withoutFilters(folder: string): Promise<NodeJS.ProcessEnv> {
  const query = ['config', '--show-scope', '--name-only', '-z', '--get-regexp', '^filter\\.'];
  const found = await runGit(folder, query).catch((cause: unknown) => {
    // 1 says that there is none. Any other failure must not let filters run.
    if (cause instanceof Error && 'code' in cause && cause.code === 1) return '';
    throw cause;
  });
  const words = found.split('\0');
  const own = words.filter((_, index) => index % 2 === 1 && /^(local|worktree)$/.test(words[index - 1] ?? ''));
  const names = new Set(own.map((key) => key.slice('filter.'.length, key.lastIndexOf('.'))));
  const settings = [...names].flatMap((name) => [
    [`filter.${name}.clean`, ''],
    [`filter.${name}.process`, ''],
    [`filter.${name}.required`, 'false'],
  ]);
  // After those that the user's environment sets.
  const first = Number(env.GIT_CONFIG_COUNT ?? 0);
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(first + settings.length) };
}

/** What git may speak to fetch a repository that the user named. Nobody is asked for a password: a build could not ask either. */
const TO_FETCH = { GIT_ALLOW_PROTOCOL: 'https:http:ssh:git:file', GIT_TERMINAL_PROMPT: '0', GIT_LFS_SKIP_SMUDGE: '1' };

/**
 * Puts one revision of a repository, without its history and its submodules, into an empty folder.
 * @param revision a branch, a full commit id, or `HEAD`
 * @throws the error of the process, with `stderr`
 */
export async function cloneForReading(
  folder: string,
  { url, revision }: { readonly url: string; readonly revision: string },
): Promise<void> {
  await runGit(folder, ['init', '--quiet', '--template=']);
  // A host that sends nothing is given up.
  const patience = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=20'];
  const fetch = [...patience, 'fetch', '--quiet', '--depth=1', '--no-tags', '--', url, revision];
  await runGit(folder, fetch, '', TO_FETCH);
  await runGit(folder, ['checkout', '--quiet', '--detach', 'FETCH_HEAD'], '', TO_FETCH);
}
