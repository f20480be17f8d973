import type { ServiceRecord } from '../catalog/service.ts';
import { REPO_ROLES, type RepoRole } from '../repo-role.ts';

type Located = Pick<ServiceRecord, 'org' | 'gitUrl'>;

const PART = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$/;

/**
 * The repository of a service at the platform's git host, as `owner/name`; null for one elsewhere. Only a repository of
 * the org that owns the service is one to share: an org that shares a service may change its address, and must not be
 * given a repository of somebody else by that.
 * @param gitHost address of the git host (GIT_URL); null where there is none
 */
export function sharedRepository({ org, gitUrl }: Located, gitHost: string | null): string | null {
  if (gitHost === null || gitUrl === null || !URL.canParse(gitUrl)) return null;
  const [host, url] = [new URL(gitHost), new URL(gitUrl)];
  const base = host.pathname.replace(/\/*$/, '/');
  if (url.origin !== host.origin || !url.pathname.startsWith(base)) return null;
  const parts = url.pathname
    .slice(base.length)
    .replace(/\.git\/?$|\/$/, '')
    .split('/');
  const [owner = '', name = ''] = parts;
  const isRepository = parts.length === 2 && [owner, name].every((part) => PART.test(part));
  return isRepository && owner.toLowerCase() === org ? `${owner.toLowerCase()}/${name}` : null;
}

/**
 * The role that an org has on a repository by all services that live there: the strongest of them, since several
 * services may be built from one repository.
 */
export function repositoryRole(
  services: readonly (Located & Pick<ServiceRecord, 'sharing'>)[],
  { repository, org, gitHost }: { readonly repository: string; readonly org: string; readonly gitHost: string | null },
): RepoRole {
  const roles = services
    .filter((service) => sharedRepository(service, gitHost) === repository)
    .flatMap(({ sharing }) => sharing.orgs.filter((entry) => entry.org === org).map(({ repoRole }) => repoRole));
  return REPO_ROLES.findLast((role) => roles.includes(role)) ?? 'none';
}
