import { z } from 'zod';
import { isPlainText } from '../plain-text.ts';
import { SIGN_IN_RULES } from '../sign-in-rule.ts';
import { type CatalogRegistration, MOST_MODULES, MOST_ROLES, type UserAccess } from './catalog.ts';

/**
 * `spec.modules`, `spec.userAccess` and `spec.registration`. The contract names these sections and not all of their
 * fields: the fields are ours, and what is not among them is dropped, as in other sections.
 */

const MODULE = 'a name: 1 to 40 lower-case letters, digits, inner dashes and underscores';
const name = z.string({ error: MODULE }).regex(/^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$/, { error: MODULE });
const LINE = 'one line of at most 200 characters';
const HIDDEN = 'text without control characters and marks that change its direction';
const line = z
  .string({ error: LINE })
  .trim()
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u, { error: LINE })
  .refine(isPlainText, { error: HIDDEN });
const TEXT = 'text of at most 1000 characters';
const text = z
  .string({ error: TEXT })
  .trim()
  .min(1, { error: TEXT })
  .max(1_000, { error: TEXT })
  .refine(isPlainText, { error: HIDDEN });
const PAGE = 'an https address of at most 1000 characters';
const page = z
  .string({ error: PAGE })
  .max(1_000, { error: PAGE })
  .refine((value) => /^https:\/\/[^\s\\]+$/.test(value) && URL.canParse(value), { error: PAGE });

const orNull = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? null);
const mapping = <T extends z.ZodRawShape>(shape: T, what: string) => z.object(shape, { error: `a mapping ${what}` });
const list = <T extends z.ZodType>(item: T, what: string, most: number) =>
  z
    .array(item, { error: `a list of ${what}` })
    .max(most, { error: `at most ${most} ${what}` })
    .nullish()
    .transform((items) => items ?? []);

const module = mapping(
  {
    name: name.describe('Name of the module, as orgs switch it on'),
    title: orNull(line).describe('How people read it'),
  },
  '{ name, title }',
);

export const modulesSection = list(
  // A name alone is a module without a title.
  z.union([name.transform((alone) => ({ name: alone, title: null })), module], {
    error: `${MODULE}, or { name, title }`,
  }),
  'modules',
  MOST_MODULES,
).describe('Parts of the service that orgs switch on; registered with the service registry');

const role = mapping(
  {
    name: name.describe('Name of the role'),
    title: orNull(line).describe('How people read it'),
    description: orNull(text).describe('What it lets people do'),
  },
  '{ name, title, description }',
);

export const userAccessSection = mapping(
  {
    signIn: z
      .enum(SIGN_IN_RULES, { error: `one of ${SIGN_IN_RULES.join(', ')}` })
      .nullish()
      .transform((value) => value ?? 'anyone')
      .describe('Who may sign in: anyone (default), or members of the org that owns the service'),
    roles: list(role, 'roles', MOST_ROLES).describe('Roles that the service knows; since 0.6.0'),
  },
  '{ signIn, roles }',
)
  .nullish()
  .transform((access): UserAccess | null => access ?? null)
  .describe('Who may sign in to the service, and which roles it knows');

export const registrationSection = mapping(
  {
    title: orNull(line).describe('Heading where people sign up'),
    description: orNull(text).describe('What they sign up for'),
    termsUrl: orNull(page).describe('Terms of use'),
    privacyUrl: orNull(page).describe('Privacy statement'),
  },
  '{ title, description, termsUrl, privacyUrl }',
)
  .nullish()
  .transform((registration): CatalogRegistration | null => registration ?? null)
  .describe('What people are shown where they sign up; kept in the service registry');
