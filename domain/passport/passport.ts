/**
 * The module `passport`: what a service is told about the person before it. Nothing of it is stored: it is made from the
 * person, their memberships and the client whenever it is asked for.
 *
 * Keying: person and client.
 * Retries: none here. A subscriber that lost its connection connects again and gets the whole passport first, so that
 * no change in between is missed.
 * Compensation: none; nothing is written.
 */

import type { UserRecord } from '../identity/user.ts';
import type { ClientRecord } from '../oauth-clients/client.ts';
import type { Membership, OrgRecord } from '../orgs/org.ts';
import { isPlatformAdmin } from '../roles.ts';
import { type Branding, brandingOf } from './branding.ts';

/** One identity object: who someone is, where they belong, and what they may do (spec 1, "Passport"). */
export interface Passport {
  readonly identityId: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly displayName: string;
  readonly avatar?: string;
  readonly userType: 'user' | 'service' | 'admin';
  /** Roles in the primary org, never platform roles. */
  readonly roles: readonly string[];
  /** Primary org; empty for someone in none. */
  readonly orgSlug: string;
  readonly orgName: string;
  readonly orgId: string;
  readonly orgs: readonly PassportOrg[];
  /** Of all orgs together. */
  readonly modules: readonly string[];
  /** Only where the client includes it. */
  readonly branding?: Branding;
  readonly permissions: { readonly scopes: readonly string[] };
  readonly issuedAt: string;
  /** Clients the person is logged in at. */
  readonly connectedServices: readonly string[];
}

export interface PassportOrg {
  readonly orgSlug: string;
  readonly orgId: string;
  readonly orgName: string;
  readonly roles: readonly string[];
  readonly modules: readonly string[];
}

/** Where a passport is shown, and when. */
export interface PassportFrame {
  readonly client: Pick<ClientRecord, 'passportConfig'>;
  readonly scopes: readonly string[];
  readonly connectedServices: readonly string[];
  readonly at: Date;
}

/** A person, with all they belong to; suspended memberships and orgs may be among it. */
export interface PassportPerson {
  readonly user: UserRecord;
  readonly memberships: readonly Membership[];
  readonly orgs: readonly OrgRecord[];
}

/**
 * The passport of a person; null for someone who is suspended, or all of whose orgs are: the same people get no token.
 * Suspended memberships and orgs are left out. The primary org is the person's own choice, else their oldest.
 */
export function personPassport(person: PassportPerson, frame: PassportFrame): Passport | null {
  const { user } = person;
  const live = liveMemberships(person);
  const suspended = user.suspendedAt !== null || (person.memberships.length > 0 && live.length === 0);
  if (suspended) return null;
  const primary = live.find(({ org }) => org.slug === user.primaryOrg) ?? live[0] ?? null;
  const fullName = [user.firstName, user.lastName].filter((part) => part !== '').join(' ');
  return {
    identityId: user.id,
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    displayName: fullName === '' ? user.email : fullName,
    ...(user.avatar === null ? {} : { avatar: user.avatar }),
    userType: isPlatformAdmin(user.platformRoles) ? 'admin' : 'user',
    roles: primary?.membership.roles ?? [],
    ...orgFields(primary?.org ?? null, frame),
    orgs: live.map(({ membership: { roles, modules }, org }) => ({
      orgSlug: org.slug,
      orgId: org.id,
      orgName: org.name,
      roles,
      modules,
    })),
    modules: [...new Set(live.flatMap(({ membership }) => membership.modules))],
    ...frameFields(frame),
  };
}

/** The passport of a service that holds a token of its own; null when its org is suspended or gone. */
export function servicePassport(client: ClientRecord, org: OrgRecord | null, frame: PassportFrame): Passport | null {
  if (org === null || org.suspendedAt !== null) return null;
  return {
    identityId: client.clientId,
    email: '',
    firstName: '',
    lastName: '',
    displayName: client.name,
    userType: 'service',
    roles: [],
    ...orgFields(org, frame),
    orgs: [{ orgSlug: org.slug, orgId: org.id, orgName: org.name, roles: [], modules: [] }],
    modules: [],
    ...frameFields(frame),
  };
}

/** True when two passports say the same but for when they were issued and where else someone is logged in. */
export function saysTheSame(a: Passport, b: Passport): boolean {
  return comparable(a) === comparable(b);
}

function comparable({ issuedAt: _at, connectedServices: _services, ...rest }: Passport): string {
  return JSON.stringify(rest);
}

function liveMemberships({ memberships, orgs }: PassportPerson): { membership: Membership; org: OrgRecord }[] {
  return memberships
    .flatMap((membership) => {
      const org = orgs.find(({ id }) => id === membership.orgId);
      const live = org !== undefined && org.suspendedAt === null && membership.suspendedAt === null;
      return live ? [{ membership, org }] : [];
    })
    .sort((a, b) => a.membership.createdAt.getTime() - b.membership.createdAt.getTime());
}

function orgFields(org: OrgRecord | null, { client }: PassportFrame) {
  const includeBranding = org !== null && client.passportConfig.includeBranding;
  return {
    orgSlug: org?.slug ?? '',
    orgName: org?.name ?? '',
    orgId: org?.id ?? '',
    ...(includeBranding ? { branding: brandingOf(org) } : {}),
  };
}

function frameFields({ scopes, connectedServices, at }: PassportFrame) {
  return { permissions: { scopes }, issuedAt: at.toISOString(), connectedServices };
}
