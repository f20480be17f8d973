import { z } from 'zod';
import { orgSlugSchema } from '../org-slug.ts';
import { ORG_ROLES, PLATFORM_ROLES } from '../roles.ts';
import { isPersonaAddress, normalizeEmail } from './email-address.ts';

/** Shapes of people as the HTTP API takes and shows them. Every field is a string of bounded length. */

/** Any way of writing an address; what comes out is its normalized form. */
export const emailSchema = z
  .string()
  .max(320)
  .transform((text, context) => {
    const email = normalizeEmail(text);
    if (email !== null) return email;
    context.issues.push({ code: 'custom', message: 'an e-mail address', input: text });
    return z.NEVER;
  });

/** An address that an account is made for, or invited: never a persona's, which are made in their own way. */
export const newAccountEmailSchema = emailSchema.refine(
  (email) => !isPersonaAddress(email),
  'not the address of a persona',
);

/**
 * A name ends up in mail to others: one line, and nothing that a mail program would make a link of.
 */
export const personNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[^\p{Cc}\p{Cf}\u2028\u2029<>]+$/u, 'one line without control characters and angle brackets')
  .refine((name) => !/:\/\/|www\.|@/i.test(name), 'a name, no address');

/** Rules of good passwords come later (PASSWORD_REFUSED); this bounds what is hashed. */
export const passwordSchema = z.string().min(1).max(1_024);

/** The token of a link, an invitation or a refresh. */
export const secretTokenSchema = z.string().min(1).max(1_024);

export const idSchema = z.string().min(1).max(64);

export const platformRolesSchema = z
  .array(z.enum(PLATFORM_ROLES))
  .max(PLATFORM_ROLES.length)
  .transform((roles) => PLATFORM_ROLES.filter((role) => roles.includes(role)));

const time = z.iso.datetime();

/** A person, without anything that would help to be them. */
export const userViewSchema = z.object({
  id: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  firstName: z.string(),
  lastName: z.string(),
  avatar: z.string().nullable(),
  platformRoles: z.array(z.enum(PLATFORM_ROLES)),
  primaryOrg: z.string().nullable(),
  suspendedAt: time.nullable(),
  createdAt: time,
});

/** The signed-in person, with the orgs they are in. */
export const meSchema = userViewSchema.extend({
  orgs: z.array(
    z.object({
      orgSlug: orgSlugSchema,
      orgId: z.string(),
      orgName: z.string(),
      roles: z.array(z.enum(ORG_ROLES)),
      modules: z.array(z.string()),
    }),
  ),
  secondFactor: z.object({ totp: z.boolean(), passkeys: z.int(), recoveryCodes: z.int() }),
});

export const sessionViewSchema = z.object({
  id: z.string(),
  methods: z.array(z.string()),
  address: z.string(),
  userAgent: z.string(),
  createdAt: time,
  lastSeenAt: time,
  expiresAt: time,
});

/** Where a person is signed in, as an admin who helps them sees it. */
export const loginsViewSchema = z.object({
  sessions: z.array(sessionViewSchema).describe('Live browser sessions, newest first'),
  applications: z
    .array(
      z.object({
        id: z.string(),
        clientId: z.string(),
        scopes: z.array(z.string()),
        address: z.string(),
        createdAt: time,
        lastUsedAt: time,
      }),
    )
    .describe('Logins at clients, with those that outlive a session'),
});

/** What people change of their own record. */
export const updateMeBodySchema = z.strictObject({ primaryOrg: orgSlugSchema.describe('One that the caller is in') });

export const updateUserBodySchema = z.strictObject({
  firstName: personNameSchema.optional(),
  lastName: personNameSchema.optional(),
  platformRoles: platformRolesSchema.optional().describe('Only a super admin may change them'),
  before: z
    .strictObject({ platformRoles: z.array(z.string().max(40)).max(50) })
    .optional()
    .describe('What the change was made from: when the user has other platform roles by now, nothing changes'),
});
