import { NO_WHITE_LABEL } from '../branding/white-label.ts';
import type { Membership, OrgRecord } from './org.ts';
import { NO_POLICY } from './policy.ts';

/** Upper-case base 32 without the letters that are taken for digits. */
export const ORG_ID_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const ORG_ID_LENGTH = 8;

/** @param letters draws characters of an alphabet; eight of them are 40 bits, and the store refuses a repetition. */
export function newOrgId(letters: (alphabet: string, length: number) => string): string {
  return `ORG-${letters(ORG_ID_ALPHABET, ORG_ID_LENGTH)}`;
}

/** An org at its first moment, as the platform's own or as any other. */
export function newOrg(
  fields: Pick<OrgRecord, 'id' | 'slug' | 'name' | 'modules'> & Partial<Pick<OrgRecord, 'platform'>>,
  now: Date,
): OrgRecord {
  return {
    platform: false,
    whiteLabel: NO_WHITE_LABEL,
    mailTemplates: {},
    policy: NO_POLICY,
    suspendedAt: null,
    ...fields,
    createdAt: now,
    updatedAt: now,
  };
}

/** That someone belongs to an org from now on. */
export function newMembership(
  userId: string,
  org: Pick<OrgRecord, 'id' | 'slug'>,
  rights: Pick<Membership, 'roles' | 'modules'>,
  now: Date,
): Membership {
  const { roles, modules } = rights;
  return {
    userId,
    orgId: org.id,
    orgSlug: org.slug,
    roles,
    modules,
    suspendedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
