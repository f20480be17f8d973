/**
 * Roles come in two lists that never mix (spec 1, "Access-token claims"): platform roles say what a person may do on
 * the platform, org roles what they may do in one org. An org's `admin` is no platform admin.
 */
export const PLATFORM_ROLES = ['super_admin', 'developer', 'devops'] as const;

export type PlatformRole = (typeof PLATFORM_ROLES)[number];

/** From the weakest to the strongest: each may do what the ones before it may. */
export const ORG_ROLES = ['viewer', 'member', 'admin'] as const;

export type OrgRole = (typeof ORG_ROLES)[number];

/** Platform admin means `super_admin` among the platform roles, and nothing else (spec 1, G 5). */
export function isPlatformAdmin(platformRoles: readonly string[]): boolean {
  return platformRoles.includes('super_admin');
}

/** True when one of the org roles is `wanted` or stronger. Roles an org made up itself give nothing here. */
export function hasOrgRole(orgRoles: readonly string[], wanted: OrgRole): boolean {
  const strength = ORG_ROLES.indexOf(wanted);
  return orgRoles.some((role) => ORG_ROLES.indexOf(role as OrgRole) >= strength);
}
