import { z } from 'zod';
import { orgSlugSchema } from '../org-slug.ts';
import { challengeAnswerSchema } from './login-challenge.ts';
import { emailSchema, newAccountEmailSchema, passwordSchema, personNameSchema, secretTokenSchema } from './schema.ts';

/** Bodies and replies of the headless API (spec 1, "Trusted sign-up", "Authentication" D; ours where not shown). */

const scope = z.string().max(1_000).optional().describe('Space-separated; default: openid profile email as granted');

/** Address of the person on the network, for limits and the list of their logins; only a server's word is taken. */
const userAddress = z
  .union([z.ipv4(), z.ipv6()])
  .optional()
  .describe("The person's network address as the calling server sees it; failed logins are then counted under it");

const otp = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('Code of the generator, or a recovery code, after SECOND_FACTOR_REQUIRED');

const pageUrl = z.string().max(2_000).optional();

export const signupBodySchema = z.strictObject({
  email: newAccountEmailSchema,
  password: passwordSchema,
  firstName: personNameSchema,
  lastName: personNameSchema,
  orgSlug: orgSlugSchema,
  emailVerified: z.literal(true).describe('The caller vouches that the person owns the address'),
  inviteToken: secretTokenSchema.optional().describe('Org and role come from the invitation'),
  roles: z.unknown().optional().describe('Never accepted: ROLES_NOT_ACCEPTED'),
  scope,
  userAddress,
});

export const loginBodySchema = z.strictObject({
  email: z.string().min(1).max(320),
  password: passwordSchema,
  otp,
  scope,
  userAddress,
  challenge: challengeAnswerSchema
    .optional()
    .describe('The answer to `details.challenge` of LOGIN_LOCKED, by which the attempt need not wait'),
});

export const magicLinkBodySchema = z.strictObject({
  email: emailSchema,
  verifyBaseUrl: pageUrl.describe("Page of the client's that gets ?token=…; default: a page of the provider"),
});

export const verifyBodySchema = z.strictObject({ token: secretTokenSchema, otp, scope, userAddress });

export const sendConfirmationBodySchema = z.strictObject({
  email: emailSchema,
  confirmBaseUrl: pageUrl.describe("Page of the client's that gets ?token=…; default: a page of the provider"),
});

export const confirmEmailBodySchema = z.strictObject({
  token: secretTokenSchema,
  access_token: z.string().min(1).max(8_192).describe('Of the person, who is signed in at the client'),
});

export const forgotPasswordBodySchema = z.strictObject({
  email: emailSchema,
  sendEmail: z.boolean().default(true),
  resetBaseUrl: pageUrl.describe("Page of the client's that gets ?token=…; default: a page of the provider"),
});

export const resetPasswordBodySchema = z.strictObject({ token: secretTokenSchema, password: passwordSchema });

export const setInitialPasswordBodySchema = z.strictObject({
  email: emailSchema,
  orgSlug: orgSlugSchema,
  password: passwordSchema,
});

export const refreshBodySchema = z.strictObject({ refresh_token: secretTokenSchema, scope });

export const embedUserSchema = z.object({
  identityId: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  firstName: z.string(),
  lastName: z.string(),
  orgSlug: z.string().nullable(),
});

/** Tokens of a person, with who they are. A page in a browser gets no refresh token: it could keep it from nobody. */
export const embedTokensSchema = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().min(0),
  scope: z.string(),
  id_token: z.string().optional(),
  user: embedUserSchema,
});

/** The same whether there is such an account. */
export const sentSchema = z.object({ sent: z.literal(true) });

export const resetTokenSchema = z.object({
  sent: z.literal(false),
  resetToken: z.string(),
  resetUrl: z.url(),
  expiresAt: z.iso.datetime(),
});
