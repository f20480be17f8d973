import type { ServiceSharing, SharingChange, SharingOrg } from '../catalog/service.ts';
import { FairleadError } from '../errors.ts';
import type { RepoRole } from '../repo-role.ts';

/** Orgs that share one service at most: the list is read with every request, and shown whole. */
export const MOST_AUTHORIZED_ORGS = 100;

const DEFAULT_REPO_ROLE: RepoRole = 'write';

/** What an admin of the owner asks for. */
export type SharingRequest = {
  /** `soc_…`, made by whoever takes the request: an attempt that is repeated has the same. */
  readonly id: string;
  readonly org: string;
  readonly by: string;
} & (
  | { readonly want: 'authorized' /** Null keeps what the org has, or `write`. */; readonly repoRole: RepoRole | null }
  | { readonly want: 'deauthorized' }
);

/** The service that is shared, by its owner. */
interface Owned {
  readonly name: string;
  readonly org: string;
  readonly sharing: ServiceSharing;
}

/**
 * Who shares a service after a request (spec 2, "Authorized orgs", 1 and 3); the same object when nothing changes, as for
 * a repeated one.
 * @throws VALIDATION_FAILED for the owner itself; CONFLICT for one org too many; NOT_FOUND when there is nobody to take out
 */
export function shared(service: Owned, request: SharingRequest, at: Date): ServiceSharing {
  // The attempt before this one made it, and was not heard of.
  if (service.sharing.lastChange?.id === request.id) return service.sharing;
  return request.want === 'authorized' ? withOrg(service, request, at) : withoutOrg(service, request, at);
}

function withOrg(
  { name, org: owner, sharing }: Owned,
  { id, org, by, repoRole: wanted }: Extract<SharingRequest, { want: 'authorized' }>,
  at: Date,
): ServiceSharing {
  if (org === owner) {
    const message = `orgSlug: ${owner} owns ${name}, and needs no authorization`;
    throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'orgSlug', message }] });
  }
  const present = sharing.orgs.find((entry) => entry.org === org);
  const repoRole = wanted ?? present?.repoRole ?? DEFAULT_REPO_ROLE;
  if (present?.repoRole === repoRole) return sharing;
  if (present === undefined && sharing.orgs.length >= MOST_AUTHORIZED_ORGS) {
    const message = `${name} is shared with ${sharing.orgs.length} orgs, and ${MOST_AUTHORIZED_ORGS} is the most: take one out first`;
    throw new FairleadError('CONFLICT', message, { details: { most: MOST_AUTHORIZED_ORGS } });
  }
  const entry =
    present === undefined ? { org, repoRole, authorizedBy: by, authorizedAt: at } : { ...present, repoRole };
  const kind = present === undefined ? 'authorized' : 'repo_role_changed';
  return next(sharing, [...others(sharing, org), entry], { id, kind, org, repoRole, by, at });
}

function withoutOrg({ name, sharing }: Owned, { id, org, by }: SharingRequest, at: Date): ServiceSharing {
  if (!sharing.orgs.some((entry) => entry.org === org)) {
    throw new FairleadError('NOT_FOUND', `${org} is not authorized for ${name}`);
  }
  return next(sharing, others(sharing, org), { id, kind: 'deauthorized', org, repoRole: null, by, at });
}

function others({ orgs }: ServiceSharing, org: string): readonly SharingOrg[] {
  return orgs.filter((entry) => entry.org !== org);
}

/** Ordered by slug. */
function next(sharing: ServiceSharing, orgs: readonly SharingOrg[], lastChange: SharingChange): ServiceSharing {
  const sorted = [...orgs].sort((a, b) => (a.org < b.org ? -1 : 1));
  return { revision: sharing.revision + 1, orgs: sorted, lastChange };
}
