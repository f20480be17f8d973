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

/**
 * True when a change gives somebody more rights and takes none, so that tokens of before may live on. A change that
 * changes nothing may be the repetition of one that was cut off, and counts as one that takes rights.
 */
export function onlyGivesRights(
  before: { readonly roles: readonly string[]; readonly modules: readonly string[] },
  after: { readonly roles: readonly string[]; readonly modules: readonly string[] },
): boolean {
  const held = [...before.roles, ...before.modules.map((module) => `module ${module}`)];
  const given = [...after.roles, ...after.modules.map((module) => `module ${module}`)];
  return held.every((right) => given.includes(right)) && given.some((right) => !held.includes(right));
}
