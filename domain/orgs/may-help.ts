import { isPlatformAdmin } from '../roles.ts';

/** Who would help: a super admin in person, the platform by its key, or an admin of an org. */
export type Helper = 'super_admin' | 'platform' | { readonly orgId: string };

/** Whom: with all orgs they are in, suspended memberships included. */
export interface HelpedPerson {
  readonly platformRoles: readonly string[];
  readonly orgIds: readonly string[];
}

/**
 * Whether somebody may see and end another person's sessions, and reset their second factor. A super admin's account is
 * for super admins alone. The admins of an org help those who are in no other org and have no role on the platform: with
 * anybody else's account they would reach what is not theirs (the same rule as for clients, `managesPerson`).
 */
export function mayHelp(helper: Helper, { platformRoles, orgIds }: HelpedPerson): boolean {
  if (isPlatformAdmin(platformRoles)) return helper === 'super_admin';
  if (typeof helper === 'string') return true;
  return platformRoles.length === 0 && orgIds.length > 0 && orgIds.every((orgId) => orgId === helper.orgId);
}
