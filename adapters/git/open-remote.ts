import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { type GitOwner, mayReadAsOwner, ownerEntry } from '../../domain/deploys/git-credential.ts';
import { type GitUrl, parseGitUrl } from '../../domain/deploys/git-url.ts';
import type { OrgRepository, RepositoryToken, RepositoryTokens } from '../../domain/deploys/source-ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { type Lookup, systemLookup } from '../public-address.ts';
import { resolvePublicAddresses } from './address-guard.ts';
import type { GitAccess, GitPlace } from './git-errors.ts';
import { type GitSession, withGitSession } from './git-session.ts';
import { createGitCheck, type RequireGit } from './git-version.ts';

export interface RemoteOptions {
  /** The platform's own git host; null when there is none. */
  readonly gitUrl: string | null;
  /** Sent to the host of `gitUrl` alone, for orgs that own the repository there. */
  readonly gitToken: string | null;
  /** Sent to github.com alone, for orgs that own the repository there. */
  readonly githubToken: string | null;
  /** Who owns what besides the owner of an org's own name. */
  readonly gitOwners: readonly GitOwner[];
  /** What orgs gave for repositories that are read with no token of the installation; null for nothing. */
  readonly repositoryTokens: RepositoryTokens | null;
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

/**
 * Checks the address and gives `work` a git for it. Every read of a repository goes through here, and what it is read with is
 * decided here alone.
 * @throws what the failure means
 */
export async function withRemote<T>(
  options: OpenRemote,
  { url, org }: OrgRepository,
  signal: AbortSignal,
  work: (remote: Remote) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const target = parseGitUrl(url, options.gitUrl);
  if (target.kind === 'local') await requireAllowed(target.path, options.localSourcesRoot);
  await options.requireGit(signal, target.kind);
  const { access, credential } = await accessTo(target, { url, org }, options);
  const place: GitPlace = { target, access };
  const guarded = target.kind === 'http' && !target.ofPlatform;
  const session = {
    place,
    credential,
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

/**
 * What is sent for a repository: the installation's token for its host where the org owns the repository there, else the token
 * that the org gave for this repository, else nothing.
 */
async function accessTo(
  target: GitUrl,
  { url, org }: OrgRepository,
  options: RemoteOptions,
): Promise<{ readonly access: GitAccess; readonly credential: RepositoryToken | null }> {
  if (target.kind === 'local') return { access: { with: 'nothing', why: 'no-token' }, credential: null };
  const { variable, token, base } = installationToken(target, options);
  const isOwn = org !== null && mayReadAsOwner({ org, target, base }, options.gitOwners);
  if (variable !== null && token !== null && isOwn) {
    const username = variable === 'GITHUB_TOKEN' ? 'x-access-token' : 'oauth2';
    return { access: { with: variable }, credential: { username, token } };
  }
  const given = org === null ? null : ((await options.repositoryTokens?.find({ url, org })) ?? null);
  if (given !== null) return { access: { with: 'connection' }, credential: given };
  if (variable === null || org === null) return { access: { with: 'nothing', why: 'no-token' }, credential: null };
  const entry = isOwn ? null : ownerEntry(org, target, base);
  const why = token === null ? 'not-set' : 'not-own';
  return { access: { with: 'nothing', why, variable, entry }, credential: null };
}

/** The installation's token for a host: each goes to one. `base`: address of the host, whose path comes before owners. */
function installationToken(
  target: Extract<GitUrl, { kind: 'http' }>,
  { gitUrl, gitToken, githubToken }: RemoteOptions,
): { variable: 'GIT_TOKEN' | 'GITHUB_TOKEN' | null; token: string | null; base: string | null } {
  const isGithub = new URL(target.url).origin === 'https://github.com';
  if (target.ofPlatform && (gitToken !== null || !isGithub)) {
    return { variable: 'GIT_TOKEN', token: gitToken, base: gitUrl };
  }
  return { variable: isGithub ? 'GITHUB_TOKEN' : null, token: isGithub ? githubToken : null, base: null };
}

function requireToken(variable: string, token: string | null): void {
  if (token === null || /^[\x21-\x7e]+$/.test(token)) return;
  throw new FairleadError('VALIDATION_FAILED', `${variable} contains blanks or line ends; set it to the bare token`);
}
