import { z } from 'zod';
import type { InviteRecord, Membership, OrgGrant, OrgRecord } from '../../../domain/orgs/org.ts';
import { NO_POLICY } from '../../../domain/orgs/policy.ts';
import { ORG_ROLES } from '../../../domain/roles.ts';
import {
  mailTemplatesSchema,
  type StoredMailTemplate,
  storedMailTemplates,
  whiteLabelSchema,
} from '../appearance-fields.ts';
import { readDocument } from '../read-document.ts';

/** `_id` is the id of the org. */
export interface OrgDocument extends Omit<OrgRecord, 'id' | 'mailTemplates'> {
  readonly _id: string;
  /** `platform` in the org that runs the installation, the org's id in all others: unique, so there is one of it. */
  readonly onlyOne: string;
  readonly mailTemplates: readonly StoredMailTemplate[];
}

/** `_id` is `{org id}:{address}`: there is one invitation of an address into an org. */
export interface InviteDocument extends InviteRecord {
  readonly _id: string;
}

const text = z.string();
const texts = z.array(text);
const time = z.date();

const orgSchema = z.object({
  _id: text,
  slug: text,
  name: text,
  platform: z.boolean(),
  modules: texts,
  whiteLabel: whiteLabelSchema,
  mailTemplates: mailTemplatesSchema,
  // Orgs that were stored before there was one, or that part of it, ask for nothing.
  policy: z
    .object({
      secondFactorRequired: z.boolean().default(NO_POLICY.secondFactorRequired),
      sessionHours: z.int().nullable().default(NO_POLICY.sessionHours),
    })
    .default(NO_POLICY),
  suspendedAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
});

const membershipSchema: z.ZodType<Membership> = z.object({
  userId: text,
  orgId: text,
  orgSlug: text,
  roles: z.array(z.enum(ORG_ROLES)),
  modules: texts,
  suspendedAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
});

const inviteSchema: z.ZodType<InviteRecord> = z.object({
  id: text,
  orgId: text,
  orgSlug: text,
  email: text,
  role: z.enum(ORG_ROLES),
  modules: texts,
  tokenHash: text,
  invitedBy: text,
  createdAt: time,
  expiresAt: time,
  acceptedAt: time.nullable(),
  // What was accepted before there were these is finished.
  acceptedBy: text.nullable().default(null),
  finishedAt: time.nullable().default(null),
  revokedAt: time.nullable(),
});

const orgGrantSchema: z.ZodType<OrgGrant> = z.object({
  clientId: text,
  orgSlug: text,
  grant: z.literal('org:manage'),
  approvedBy: text,
  approvedAt: time,
});

export function readOrg(document: unknown): OrgRecord {
  const { _id, ...rest } = readDocument('org', orgSchema, document);
  return { id: _id, ...rest };
}

export function orgDocument({ id, mailTemplates, ...rest }: OrgRecord): OrgDocument {
  const onlyOne = rest.platform ? 'platform' : id;
  return { _id: id, onlyOne, ...rest, mailTemplates: storedMailTemplates(mailTemplates) };
}

export function readMembership(document: unknown): Membership {
  return readDocument('membership', membershipSchema, document);
}

export function readInvite(document: unknown): InviteRecord {
  return readDocument('invitation', inviteSchema, document);
}

export function readOrgGrant(document: unknown): OrgGrant {
  return readDocument('org grant', orgGrantSchema, document);
}
