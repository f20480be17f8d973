import { z } from 'zod';
import { mailTemplatesSchema } from '../identity/mail-template-schema.ts';
import { idSchema, newAccountEmailSchema, personNameSchema } from '../identity/schema.ts';
import { PERSONAL_OWNER } from '../locker-handle.ts';
import { orgSlugSchema } from '../org-slug.ts';
import { pageQueryShape } from '../page-schema.ts';
import { ORG_ROLES } from '../roles.ts';

/** Shapes of orgs, members, invitations and grants as the HTTP API takes and shows them (spec 1; bodies are ours). */

const time = z.iso.datetime();

/** Shown on pages and in mail to strangers: one line. */
const orgNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Cf}\u2028\u2029<>]+$/u, 'one line without control characters and angle brackets')
  .refine((name) => !/:\/\/|www\./i.test(name), 'a name, no address');

const moduleSchema = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'lower-case letters, digits, dashes, underscores');
export const modulesSchema = z
  .array(moduleSchema)
  .max(50)
  .transform((modules) => [...new Set(modules)]);

export const orgRoleSchema = z.enum(ORG_ROLES);
const rolesSchema = z
  .array(orgRoleSchema)
  .min(1)
  .max(ORG_ROLES.length)
  .transform((roles) => ORG_ROLES.filter((role) => roles.includes(role)));

const whiteLabelSchema = z.strictObject({
  emailFromName: orgNameSchema.nullable(),
  logoUrl: z
    .url({ protocol: /^https$/ })
    .max(2_000)
    .nullable(),
  primaryColor: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'a colour such as #0F172A')
    .nullable(),
});

/** A week is as long as any session lives. */
const policySchema = z.strictObject({
  secondFactorRequired: z.boolean().describe('Only logins with a second factor count in this org'),
  sessionHours: z.int().min(1).max(168).nullable().describe('Hours a login counts in this org; null for no limit'),
});

export const orgParamsSchema = z.strictObject({ orgSlug: z.string().min(1).max(63) });
export const memberParamsSchema = orgParamsSchema.extend({ userId: idSchema });
export const inviteParamsSchema = orgParamsSchema.extend({ inviteId: idSchema });
export const grantParamsSchema = orgParamsSchema.extend({ clientId: z.string().min(1).max(200) });

export const createOrgBodySchema = z.strictObject({
  // In the locker, handles of this owner are of the person who asks.
  slug: orgSlugSchema.refine((slug) => slug !== PERSONAL_OWNER, 'is reserved: choose another'),
  name: orgNameSchema,
  modules: modulesSchema.default([]),
});

export const updateOrgBodySchema = z.strictObject({
  name: orgNameSchema.optional(),
  whiteLabel: whiteLabelSchema.partial().optional().describe('Absent fields keep what is stored; null clears'),
  mailTemplates: mailTemplatesSchema.optional().describe('Replaces all overrides of the org'),
  policy: policySchema
    .partial()
    .optional()
    .describe('Absent fields keep what is stored. Your own login has to meet it'),
  modules: modulesSchema.optional().describe('Only the platform may change them'),
  suspended: z.boolean().optional().describe('Only the platform may change it; the platform’s own org never is'),
});

export const putMemberBodySchema = z.strictObject({
  roles: rolesSchema,
  modules: modulesSchema.default([]),
  before: z
    .strictObject({ roles: z.array(z.string().max(40)).max(50), modules: z.array(z.string().max(40)).max(50) })
    .optional()
    .describe('What the change was made from: when the member has other roles or modules by now, nothing changes'),
});

export const createInviteBodySchema = z.strictObject({
  email: newAccountEmailSchema,
  role: orgRoleSchema.default('member'),
  modules: modulesSchema.default([]),
  sendEmail: z.boolean().default(true).describe('false answers the inviteUrl instead of sending it'),
});

export const createOrgUserBodySchema = z.strictObject({
  email: newAccountEmailSchema,
  firstName: personNameSchema,
  lastName: personNameSchema,
  role: orgRoleSchema.default('member'),
  modules: modulesSchema.default([]),
});

export const orgViewSchema = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  platform: z.boolean(),
  modules: z.array(z.string()),
  whiteLabel: z.object({
    emailFromName: z.string().nullable(),
    logoUrl: z.string().nullable(),
    primaryColor: z.string().nullable(),
  }),
  mailTemplates: z.record(z.string(), z.object({ subject: z.string(), text: z.string() })),
  policy: z.object({ secondFactorRequired: z.boolean(), sessionHours: z.int().nullable() }),
  suspendedAt: time.nullable(),
  createdAt: time,
});

/** People that one request asks for by their ids. */
export const MOST_NAMED = 100;

export const memberQuerySchema = z.strictObject({
  ...pageQueryShape,
  ids: z
    .string()
    .max(MOST_NAMED * 100)
    .transform((text) => [...new Set(text.split(','))])
    .refine((ids) => ids.length <= MOST_NAMED && ids.every((id) => idSchema.safeParse(id).success), {
      error: `at most ${MOST_NAMED} ids of people, separated by commas`,
    })
    .optional()
    .describe('These people alone, as far as they are members; all of them on one page'),
});

export const memberViewSchema = z.object({
  userId: z.string(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  roles: z.array(orgRoleSchema),
  modules: z.array(z.string()),
  suspendedAt: time.nullable(),
  createdAt: time,
});

export const inviteViewSchema = z.object({
  id: z.string(),
  email: z.string(),
  role: orgRoleSchema,
  modules: z.array(z.string()),
  invitedBy: z.string(),
  createdAt: time,
  expiresAt: time,
});

/** An event of the org's audit trail, without the network address it came from. */
export const orgEventViewSchema = z.object({
  id: z.string(),
  type: z.string(),
  actor: z.string(),
  subject: z.string(),
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])),
  requestId: z.string().nullable(),
  time,
});

/** The link is told once, and only to whoever asked for it instead of a mail. */
export const createdInviteSchema = inviteViewSchema.extend({
  inviteUrl: z.url().optional(),
  outboxUrl: z
    .url()
    .optional()
    .describe('For the platform: where the mail lies, of an installation without a mail server'),
});

export const orgGrantViewSchema = z.object({
  clientId: z.string(),
  orgSlug: z.string(),
  grant: z.literal('org:manage'),
  approvedBy: z.string(),
  approvedAt: time,
});
