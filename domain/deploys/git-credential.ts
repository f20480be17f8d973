import { isOrgSlug } from '../org-slug.ts';
import type { GitUrl } from './git-url.ts';

/**
 * For which repositories an installation's own tokens (GIT_TOKEN, GITHUB_TOKEN) are sent. Their accounts may read what belongs
 * to many orgs, and any member may name any address: so the address alone must say that the repository is the org's own.
 * Spec 2, "Source access", gives private repositories a token and does not say whose; this is the safer reading.
 */

/** An org that may read, with the installation's tokens, all that lies at a path of a git host or below it (GIT_OWNERS). */
export interface GitOwner {
  /** Slug, or {@link EACH_ORG}. */
  readonly org: string;
  /** With the port, unless it is the usual one of https. */
  readonly host: string;
  /** Parts of the path, lower case: an owner, groups below it, or one repository. Empty: all of the host. */
  readonly path: readonly string[];
}

export const EACH_ORG = '*';

type HostedUrl = Extract<GitUrl, { kind: 'http' }>;

/** What names of owners, groups and repositories are made of. An escape could be one name here and another at the host. */
const PLAIN = /^[A-Za-z0-9._~-]+$/;

/** One entry of GIT_OWNERS, such as `acme=git.example/acme-inc`; null for what is none. */
export function parseGitOwner(entry: string): GitOwner | null {
  const [, org = '', place = ''] = /^([^=]*)=([^/].*)$/.exec(entry) ?? [];
  const url = URL.canParse(`https://${place}`) ? new URL(`https://${place}`) : null;
  if (url === null || (org !== EACH_ORG && !isOrgSlug(org))) return null;
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') return null;
  const path = partsOf(url.pathname.replace(/\/$/, ''));
  return path === null ? null : { org, host: url.host, path };
}

/**
 * True where the token of the installation for a host may be sent for an org: the repository lies below the owner of its name,
 * or where GIT_OWNERS says so. The platform's own org is an org as every other. An owner that GIT_OWNERS names is read by the
 * orgs that it is named for, and not by an org that has the same name.
 * @param base address of the host, whose path comes before the owner; null for the root
 */
export function mayReadAsOwner(
  { org, target, base }: { readonly org: string; readonly target: HostedUrl; readonly base: string | null },
  owners: readonly GitOwner[],
): boolean {
  const { host, pathname } = new URL(target.url);
  const path = partsOf(pathname);
  const above = base === null ? [] : partsOf(new URL(base).pathname.replace(/\/+$/, ''));
  if (path === null || above === null) return false;
  const there = owners.filter((owner) => owner.host === host);
  if (there.some((owner) => (owner.org === org || owner.org === EACH_ORG) && isWithin(path, owner.path))) return true;
  const own = [...above, org];
  const isNamed = there.some((owner) => owner.path.length === own.length && isWithin(own, owner.path));
  return !isNamed && path.length > own.length && isWithin(path, own);
}

/** The entry of GIT_OWNERS that lets an org read all of the owner of a repository. */
export function ownerEntry(org: string, { url }: HostedUrl, base: string | null): string {
  const { host, pathname } = new URL(url);
  const above = base === null ? 0 : new URL(base).pathname.split('/').filter((part) => part !== '').length;
  const owner = pathname.split('/').slice(1, 2 + above);
  return `${org}=${[host, ...owner].join('/')}`;
}

/** Parts of a path, lower case and without `.git` or a folder of that name at the end; null where one is empty, or is no plain name. */
function partsOf(pathname: string): readonly string[] | null {
  if (pathname === '') return [];
  const parts = pathname
    .replace(/\/?\.git$/i, '')
    .split('/')
    .slice(1);
  return parts.every((part) => PLAIN.test(part)) ? parts.map((part) => part.toLowerCase()) : null;
}

function isWithin(path: readonly string[], folder: readonly string[]): boolean {
  return folder.every((part, index) => path[index] === part);
}
