import { type Html, html } from '../../api/http/pages/html.ts';
import { ORG_ROLES, type OrgRole } from '../../domain/roles.ts';
import { badge } from '../look/badge.ts';

interface Named {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
}

/** The name of a person, or their address where they gave none. */
export function nameOf({ firstName, lastName, email }: Named): string {
  const name = `${firstName} ${lastName}`.trim();
  return name === '' ? email : name;
}

/** The strongest of some roles: each may do what the weaker ones may. */
export function roleOf(roles: readonly OrgRole[]): OrgRole | null {
  return ORG_ROLES.toReversed().find((role) => roles.includes(role)) ?? null;
}

const ROLE_TITLES: Readonly<Record<OrgRole, string>> = { viewer: 'Viewer', member: 'Member', admin: 'Admin' };

export function roleTitle(role: OrgRole | null): string {
  return role === null ? 'No role' : ROLE_TITLES[role];
}

/** For the choice of a role, the strongest first. */
export const ROLE_CHOICES = [
  ['admin', 'Admin: manages people and settings, and what members do'],
  ['member', 'Member: deploys, changes variables, reads logs'],
  ['viewer', 'Viewer: reads, and changes nothing'],
] as const;

export function stateOf({ suspendedAt }: { readonly suspendedAt: string | null }): Html {
  return suspendedAt === null ? badge('good', 'Active') : badge('warn', 'Suspended', 'pause');
}

/** A list of names in one line; a dash for none. */
export function namesLine(names: readonly string[]): Html {
  return names.length === 0 ? html`<span class="quiet">–</span>` : html`${names.join(', ')}`;
}
