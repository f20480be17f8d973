import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GitUrl } from '../../domain/deploys/git-url.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { type ProcessResult, type RunProcessOptions, runProcess } from '../process/run-process.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { explainGitFailure, type GitPlace } from './git-errors.ts';
import { SESSION_PREFIX, sweepDeadSessions } from './sweep-sessions.ts';

export interface GitSessionOptions {
  readonly place: GitPlace;
  /** Sent to `place.target` alone; null for none. */
  readonly credential: { readonly username: string; readonly token: string } | null;
  /** Addresses that git's HTTP transport must use for the host; empty leaves it to resolve the name. */
  readonly pinnedAddresses: readonly string[];
  readonly env: ProcessEnv;
  readonly signal: AbortSignal;
  /** Bytes of one pack of objects; 2 GiB by default. */
  readonly maxPackBytes?: number;
}

export interface GitSession {
  /**
   * Runs git. A non-zero exit is a result. `directory` is the work tree; without it git works outside any repository.
   * @throws what `onLine` throws, which ends git
   */
  attempt(args: readonly string[], directory?: string, onLine?: RunProcessOptions['onLine']): Promise<ProcessResult>;
  /** Runs git. @throws what the failure means. */
  run(args: readonly string[], directory?: string): Promise<string>;
}

/** Objects that are odd but harmless and that old repositories hold. */
const TOLERATED_ODDITIES = ['zeroPaddedFilemode', 'missingSpaceBeforeDate', 'badTimezone', 'missingEmail', 'badDate'];

/** What git prints beyond it is not read. */
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_PACK_BYTES = 2 * 1024 ** 3;

/**
 * Gives `work` a git that knows nothing of this machine's users: no system or user configuration, no credential
 * helpers, no prompts, no hooks, no `.netrc`. All settings are in one private directory that is removed afterwards; the
 * token is in a file there (0600), which only the credential helper of this one host reads, so that it is never in an
 * argument, an environment, an address or the clone.
 */
export async function withGitSession<T>(
  options: GitSessionOptions,
  work: (session: GitSession) => Promise<T>,
): Promise<T> {
  await sweepDeadSessions(tmpdir());
  const folder = await mkdtemp(join(tmpdir(), `${SESSION_PREFIX}${process.pid}-`));
  try {
    await writeFile(join(folder, 'config'), writeConfig(options, folder), { mode: 0o600 });
    if (options.credential !== null) {
      const { username, token } = options.credential;
      await writeFile(join(folder, 'credential'), `username=${username}\npassword=${token}\n`, { mode: 0o600 });
    }
    return await work(createSession(options, folder));
  } finally {
    await removeTree(folder);
  }
}

function createSession(options: GitSessionOptions, folder: string): GitSession {
  const { env, signal, place, maxPackBytes = MAX_PACK_BYTES } = options;
  const clean = (text: string): string =>
    options.credential === null ? text : text.replaceAll(options.credential.token, '[redacted]');
  const attempt: GitSession['attempt'] = async (args, directory, onLine) => {
    const result = await runProcess('git', args, {
      cwd: directory ?? folder,
      env: { ...env, ...gitVariables(folder, directory) },
      signal,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      maxFileBytes: maxPackBytes,
      ...(onLine === undefined ? {} : { onLine }),
    });
    return { ...result, stderr: clean(result.stderr) };
  };
  return {
    attempt,
    async run(args, directory) {
      const result = await attempt(args, directory);
      if (result.exitCode === 0) return result.stdout;
      throw explainGitFailure(result.stderr, place);
    },
  };
}

function gitVariables(folder: string, directory: string | undefined): ProcessEnv {
  return {
    // libcurl would take passwords from ~/.netrc, git more settings from ~/.config/git.
    HOME: folder,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(folder, 'config'),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    // What was fetched without its files stays so.
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CEILING_DIRECTORIES: dirname(folder),
    // Named, so that git neither searches for a repository nor asks whose it is.
    ...(directory !== undefined && { GIT_DIR: join(directory, '.git'), GIT_WORK_TREE: directory }),
  };
}

/** One file holds every setting; in the environment, git would drop them for the other end of a local clone. */
function writeConfig({ place, credential, pinnedAddresses }: GitSessionOptions, folder: string): string {
  const { target } = place;
  const lines = [
    ...section('core', { hooksPath: '/dev/null', fsync: 'none', fsmonitor: 'false', askPass: '' }),
    ...section('init', { templateDir: '', defaultBranch: 'source' }),
    ...section('advice', { detachedHead: 'false' }),
    ...section('gc', { auto: '0' }),
    ...section('maintenance', { auto: 'false' }),
    ...section('submodule', { recurse: 'false' }),
    ...section('protocol', { allow: 'never', version: '2' }),
    ...section(`protocol "${transportOf(target)}"`, { allow: 'always' }),
    // Local repositories often belong to another user than the builder.
    ...(target.kind === 'local' ? section('safe', { directory: '*' }) : []),
    // Whatever is fetched is one file, whose size is bounded.
    ...section('fetch', { fsckObjects: 'true', writeCommitGraph: 'false', unpackLimit: '1' }),
    ...section('fetch "fsck"', Object.fromEntries(TOLERATED_ODDITIES.map((name) => [name, 'ignore']))),
    ...section('http', { followRedirects: 'false', lowSpeedLimit: '1000', lowSpeedTime: '60' }),
    ...pinned(target, pinnedAddresses),
  ];
  if (credential !== null && target.kind === 'http') {
    const file = join(folder, 'credential').replaceAll("'", "'\\''");
    lines.push(...section(`credential "${new URL(target.url).origin}"`, { helper: `!cat '${file}' #` }));
  }
  return `${lines.join('\n')}\n`;
}

function pinned(target: GitUrl, addresses: readonly string[]): readonly string[] {
  if (target.kind === 'local' || addresses.length === 0) return [];
  const list = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',');
  return section('http', { curloptResolve: `${target.hostname}:${target.port}:${list}` });
}

function transportOf(target: GitUrl): string {
  return target.kind === 'local' ? 'file' : new URL(target.url).protocol.replace(':', '');
}

function section(name: string, settings: Readonly<Record<string, string>>): readonly string[] {
  const quoted = Object.entries(settings).map(
    ([key, value]) => `\t${key} = "${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
  );
  // A heading is `[name]` or `[name "part"]`.
  return [`[${name}]`, ...quoted];
}
