import { z } from 'zod';
import { NO_PASSPORT } from '../passport-config.ts';
import { AUTH_MODES } from './catalog.ts';
import { entry, flag, listOf } from './schema-kinds.ts';

const ORIGIN = 'an origin such as https://shop.example, without a path';
const origins = listOf(
  z
    .string({ error: ORIGIN })
    .refine((value) => /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value, {
      error: ORIGIN,
    }),
  'origins',
);

/** `spec.auth`. The shorthand `branding: true` is a key like any unknown one: dropped without a word (spec 1, catalog rule 1). */
export const auth = entry(
  {
    mode: z
      .enum(AUTH_MODES, { error: `one of ${AUTH_MODES.join(', ')}` })
      .describe('sso: people sign in to the service. service-only: it calls other services'),
    passport: entry(
      {
        includeBranding: flag.describe('Passports carry how the org looks'),
        includeEntityHash: flag.describe('Passports carry the hash of the org'),
        headless: flag.describe('Sign-up is embedded in pages of the service'),
        allowedEmbedOrigins: origins.describe('Origins of the pages that may embed it'),
        // One example of the spec spells the key this way.
        allowedOrigins: origins.describe('The same as allowedEmbedOrigins'),
      },
      '{ includeBranding, includeEntityHash, headless, allowedEmbedOrigins }',
    )
      .nullish()
      .transform((passport) => {
        const { allowedOrigins = [], allowedEmbedOrigins = [], ...flags } = passport ?? {};
        return {
          ...NO_PASSPORT,
          ...flags,
          allowedEmbedOrigins: [...new Set([...allowedEmbedOrigins, ...allowedOrigins])],
        };
      })
      .describe('What passports of signed-in people hold, and who may embed the sign-up'),
  },
  '{ mode, passport }',
);
