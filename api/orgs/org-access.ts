import { FairleadError } from '../../domain/errors.ts';
import { judgeRoles, type OrgPower, unknownModules } from '../../domain/orgs/administration.ts';
import type { OrgRecord } from '../../domain/orgs/org.ts';
import { orgNotFound } from '../../domain/orgs/org-not-found.ts';
import { hasOrgRole, isPlatformAdmin, type OrgRole } from '../../domain/roles.ts';
import type { Caller } from '../http/caller.ts';
import type { IdentityDeps } from '../identity/deps.ts';

export interface OrgAccess {
  readonly org: OrgRecord;
  readonly power: OrgPower;
}

type Deps = Pick<IdentityDeps, 'orgs' | 'memberships'>;

/** A known caller, on routes that require one. @throws UNAUTHORIZED */
export function requireCaller(caller: Caller | null): Caller {
  if (caller === null) throw new FairleadError('UNAUTHORIZED', 'This needs a credential');
  return caller;
}

/**
 * True for whoever administers people everywhere: the internal key, and super admins. A service of the platform's org
 * is not among them: it manages the people of orgs that granted it that, as any other service does.
 */
export function administersPeople(caller: Caller): boolean {
  return caller.kind === 'internal' || (caller.kind === 'user' && isPlatformAdmin(caller.platformRoles));
}

/** @throws FORBIDDEN for everybody else. */
export function requirePeopleAdmin(caller: Caller | null): Caller {
  const known = requireCaller(caller);
  if (administersPeople(known)) return known;
  throw new FairleadError('FORBIDDEN', 'Only a platform admin may do this');
}

/**
 * The org of a path, for someone who may act in it. What a person may do is read from their membership as it is now, not
 * from their token: a role that was taken away counts no more.
 * @throws ORG_NOT_FOUND for an org that is not there or that they are not in; FORBIDDEN when their role is too low.
 */
export async function requireOrg(deps: Deps, caller: Caller | null, slug: string, wanted: OrgRole): Promise<OrgAccess> {
  const known = requireCaller(caller);
  const org = await findOrg(deps, slug);
  if (administersPeople(known)) return { org, power: { platform: true, roles: [] } };
  const membership = known.kind === 'user' ? await deps.memberships.find(known.userId, org.id) : null;
  if (membership === null || membership.suspendedAt !== null) throw orgNotFound();
  if (org.suspendedAt !== null) throw new FairleadError('FORBIDDEN', 'This org is suspended');
  if (!hasOrgRole(membership.roles, wanted)) {
    throw new FairleadError('FORBIDDEN', `This needs the role ${wanted} or higher in ${org.slug}`);
  }
  return { org, power: { platform: false, roles: membership.roles } };
}

/** By its slug alone: ids are for other records. @throws ORG_NOT_FOUND */
export async function findOrg(deps: Pick<Deps, 'orgs'>, slug: string): Promise<OrgRecord> {
  const org = await deps.orgs.find(slug);
  if (org === null || org.slug !== slug) throw orgNotFound();
  return org;
}

/** Refuses roles the caller may not give and modules the org has not. @throws ROLE_ESCALATION, VALIDATION_FAILED */
export function checkRights(
  { org, power }: OrgAccess,
  wanted: { readonly roles: readonly OrgRole[]; readonly modules: readonly string[] },
): void {
  const { refused, grantable } = judgeRoles(power, wanted.roles);
  if (refused.length > 0) {
    throw new FairleadError('ROLE_ESCALATION', `You may not give the role ${refused.join(', ')} in ${org.slug}`, {
      details: { refused, grantable, howToGetTheRest: `Ask an admin of ${org.slug}` },
    });
  }
  const unknown = unknownModules(org, wanted.modules);
  if (unknown.length > 0) {
    const message = `Not switched on in ${org.slug}: ${unknown.join(', ')}`;
    throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'modules', message }] });
  }
}
