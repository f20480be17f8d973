import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { type GitUrl, parseGitUrl } from '../../domain/deploys/git-url.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { type Lookup, systemLookup } from '../public-address.ts';
import { resolvePublicAddresses } from './address-guard.ts';
import type { GitPlace } from './git-errors.ts';
import { type GitSession, withGitSession } from './git-session.ts';
import { createGitCheck, type RequireGit } from './git-version.ts';

export interface RemoteOptions {
  /** The platform's own git host; null when there is none. */
  readonly gitUrl: string | null;
  /** Sent to the host of `gitUrl` alone. */
  readonly gitToken: string | null;
  /** Sent to github.com alone. */
  readonly githubToken: string | null;
  /** Folder that local repositories lie below; null where they are off. */
  readonly localSourcesRoot: string | null;
  /** Environment of git: PATH, certificates, proxies. No secrets. */
  readonly env: ProcessEnv;
  /** Resolves host names; the system's resolver by default. */
  readonly lookup?: Lookup;
}

/** @throws VALIDATION_FAILED when a token has characters no token has */
export function createRemote(options: RemoteOptions): OpenRemote {
  requireToken('GIT_TOKEN', options.gitToken);
  requireToken('GITHUB_TOKEN', options.githubToken);
  return { ...options, requireGit: createGitCheck(options.env) };
}

export interface OpenRemote extends RemoteOptions {
  readonly maxPackBytes?: number;
  readonly requireGit: RequireGit;
}

export interface Remote {
  readonly session: GitSession;
  readonly place: GitPlace;
  /** What git is given: an address without credentials, or an absolute path. */
  readonly address: string;
}

/** Checks the address and gives `work` a git for it. @throws what the failure means */
export async function withRemote<T>(
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
  { gitToken, githubToken }: RemoteOptions,
): { variable: GitPlace['tokenVariable']; token: string | null } {
  if (target.kind === 'local') return { variable: null, token: null };
  const isGithub = new URL(target.url).origin === 'https://github.com';
  if (target.ofPlatform && (gitToken !== null || !isGithub)) return { variable: 'GIT_TOKEN', token: gitToken };
  return isGithub ? { variable: 'GITHUB_TOKEN', token: githubToken } : { variable: null, token: null };
}

function requireToken(variable: string, token: string | null): void {
  if (token === null || /^[\x21-\x7e]+$/.test(token)) return;
  throw new FairleadError('VALIDATION_FAILED', `${variable} contains blanks or line ends; set it to the bare token`);
}
