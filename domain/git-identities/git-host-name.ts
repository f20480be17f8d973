import { FairleadError } from '../errors.ts';
import type { GitProvider } from '../git-provider.ts';

/** A git host as people name it, and as it is found again. */
export interface NamedHost {
  /** Base address without a trailing slash: `https://git.example`, or `https://git.example/code` of a Gitea below a path. */
  readonly address: string;
  /** One name for all addresses of one host: its API and its place, such as `github github.com`. */
  readonly key: string;
}

/** What speaks one API counts as one, so that a host is the same whichever of its names is told. */
const FAMILIES: Readonly<Record<GitProvider, string>> = {
  github: 'github',
  gitea: 'gitea',
  forgejo: 'gitea',
  gitlab: 'gitlab',
};

/** Served below a path, as GitHub and GitLab rarely are: for those, the path of a repository begins at the host. */
const MAY_BE_BELOW: ReadonlySet<GitProvider> = new Set(['gitea', 'forgejo']);

/**
 * The host of an address that somebody gives.
 * @throws VALIDATION_FAILED; the message does not repeat the address, which may hold a credential
 */
export function parseHost(provider: GitProvider, text: string): NamedHost {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw bad('give an address such as https://git.example');
  if (url.username !== '' || url.password !== '') throw bad('take the credentials out of the address');
  if (url.search !== '' || url.hash !== '') throw bad('take out what follows ? or #');
  const path = url.pathname.replace(/\/+$/, '');
  if (path !== '' && !MAY_BE_BELOW.has(provider)) throw bad('give the address of the host, without a path');
  return nameHost(provider, url, path);
}

/**
 * The host that a repository lies at.
 * @param repositoryUrl as git is given it: http or https, without credentials
 * @returns null for an address that names no repository of such a host
 */
export function hostOfRepository(provider: GitProvider, repositoryUrl: string): NamedHost | null {
  const url = URL.canParse(repositoryUrl) ? new URL(repositoryUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const parts = url.pathname.split('/').filter((part) => part !== '');
  if (parts.length < 2) return null;
  const below = MAY_BE_BELOW.has(provider) ? parts.slice(0, -2) : [];
  return nameHost(provider, url, below.map((part) => `/${part}`).join(''));
}

function nameHost(provider: GitProvider, { origin, host }: URL, path: string): NamedHost {
  return { address: origin + path, key: `${FAMILIES[provider]} ${host}${path}` };
}

function bad(why: string): FairleadError {
  const message = `host: ${why}`;
  return new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'host', message }] });
}
