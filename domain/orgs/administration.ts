import { ORG_ROLES, type OrgRole } from '../roles.ts';

/** What someone may use in an org: the platform may do everything, others what their roles there say. */
export interface OrgPower {
  readonly platform: boolean;
  readonly roles: readonly OrgRole[];
}

export interface RoleVerdict {
  readonly refused: readonly OrgRole[];
  readonly grantable: readonly OrgRole[];
}

/** Org roles that one may give others: their own strongest and the weaker ones. Platform roles are never among them. */
export function grantableRoles(power: OrgPower): readonly OrgRole[] {
  if (power.platform) return ORG_ROLES;
  const strongest = Math.max(-1, ...power.roles.map((role) => ORG_ROLES.indexOf(role)));
  return ORG_ROLES.slice(0, strongest + 1);
}

/** Which of the wanted roles one may not give. */
export function judgeRoles(power: OrgPower, wanted: readonly OrgRole[]): RoleVerdict {
  const grantable = grantableRoles(power);
  return { refused: wanted.filter((role) => !grantable.includes(role)), grantable };
}

/** Modules that are wanted and not switched on in the org: nobody has them, whatever they may do. */
export function unknownModules(org: { readonly modules: readonly string[] }, wanted: readonly string[]): string[] {
  return wanted.filter((module) => !org.modules.includes(module));
}

/** True when someone has fewer rights afterwards: tokens that still tell of the old ones must not live on. */
export function losesRights(
  before: { readonly roles: readonly OrgRole[]; readonly modules: readonly string[] },
  after: { readonly roles: readonly OrgRole[]; readonly modules: readonly string[] },
): boolean {
  return (
    before.roles.some((role) => !after.roles.includes(role)) ||
    before.modules.some((module) => !after.modules.includes(module))
  );
}
