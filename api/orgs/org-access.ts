import { FairleadError } from '../../domain/errors.ts';
import { judgeRoles, type OrgPower, unknownModules } from '../../domain/orgs/administration.ts';
import type { OrgRecord } from '../../domain/orgs/org.ts';
import { orgNotFound } from '../../domain/orgs/org-not-found.ts';
import { admitsLogin } from '../../domain/orgs/policy.ts';
import { hasOrgRole, type OrgRole } from '../../domain/roles.ts';
import { ADMINISTRATORS } from '../http/allowed-callers.ts';
import { type AdministratorCaller, isAdministrator, type UserCaller } from '../http/caller.ts';
import type { IdentityDeps } from '../identity/deps.ts';

export interface OrgAccess {
  readonly org: OrgRecord;
  readonly power: OrgPower;
}

type Deps = Pick<IdentityDeps, 'orgs' | 'memberships' | 'now'>;

/** Callers of the routes of one org. */
type OrgCaller = AdministratorCaller | UserCaller;

/**
 * Row part of a route of one org: for people with that role or a higher one in the org of the path, and for whoever
 * administers people everywhere. Services are told there is no such org, those of the platform included.
 */
export function orgRoute(deps: Deps, wanted: OrgRole) {
  return {
    tag: 'orgs',
    callers: { ...ADMINISTRATORS, user: true },
    refusal: orgNotFound,
    resource: (input: { params: { orgSlug: string } }, { caller }: { caller: OrgCaller }): Promise<OrgAccess> =>
      requireOrg(deps, caller, input.params.orgSlug, wanted),
  } as const;
}

/**
 * The org of a path, for someone who may act in it. What a person may do is read from their membership as it is now, not
 * from their token: a role that was taken away counts no more.
 * @throws ORG_NOT_FOUND for an org that is not there or that they are not in; FORBIDDEN when their role is too low, or
 * their login is not what the org asks for, unless any will do.
 */
export async function requireOrg(
  deps: Deps,
  caller: OrgCaller,
  slug: string,
  wanted: OrgRole,
  options: { readonly anyLogin?: boolean } = {},
): Promise<OrgAccess> {
  const org = await findOrg(deps, slug);
  if (isAdministrator(caller)) return { org, power: { platform: true, roles: [] } };
  const membership = await deps.memberships.find(caller.userId, org.id);
  if (membership === null || membership.suspendedAt !== null) throw orgNotFound();
  if (org.suspendedAt !== null) throw new FairleadError('FORBIDDEN', 'This org is suspended');
  if (options.anyLogin !== true && !admitsLogin(org.policy, caller.login, deps.now())) {
    throw new FairleadError('FORBIDDEN', `${org.slug} asks for a second factor, or a newer login: sign in again`);
  }
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
