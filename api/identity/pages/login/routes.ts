import { z } from 'zod';
import { defineRoute, type Route, type RouteDefinition } from '../../../http/define-route.ts';
import { OPTIONS_RESPONSE, PAGE_RESPONSES } from '../../../http/pages/page-responses.ts';
import type { IdentityDeps } from '../../deps.ts';
import { codeSchema, csrfSchema, emailSchema, passwordSchema, returnToSchema } from '../form-fields.ts';
import { CHALLENGE_FIELDS } from '../login-challenge-fields.ts';
import { askForAddress, sendMagicLink, sendResetLink } from './link-sent-page.ts';
import { openLogin } from './login-page.ts';
import { logInWithPasskey, offerPasskeyLogin, offerSecondPasskey } from './passkey-login.ts';
import { logInWithPassword } from './password-login.ts';
import { logInWithCode, logInWithSecondPasskey, openSecondFactor } from './second-factor-page.ts';

const query = z.looseObject({
  return_to: returnToSchema.optional(),
  reauth: z.string().max(10).optional(),
  notice: z.string().max(20).optional(),
});
const base = { csrf: csrfSchema, return_to: returnToSchema };
const credential = z.string().max(40_000);

const page = { tag: 'pages', callers: 'public', replies: 'page', responses: PAGE_RESPONSES } as const;

const form = { ...page, bodyTypes: ['form'], errors: ['CSRF_REFUSED'], rateLimit: { perMinute: 120 } } as const;
const options = {
  method: 'post',
  tag: 'pages',
  callers: 'public',
  body: z.strictObject({ csrf: csrfSchema }),
  responses: OPTIONS_RESPONSE,
  errors: ['CSRF_REFUSED', 'UNAUTHORIZED'],
  rateLimit: { perMinute: 120 },
} as const satisfies Partial<RouteDefinition<z.ZodObject, z.ZodObject, z.ZodType>>;

/** Signing in: password, link by mail, passkey, second factor. */
export function loginRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      ...page,
      method: 'get',
      path: '/login',
      summary: 'The login page',
      query,
      handle: async (input, context) => openLogin(deps, context, input.query),
    }),
    defineRoute({
      ...form,
      method: 'post',
      path: '/login',
      summary: 'Signs in with address and password',
      // Above the limit of failures of an address each attempt costs its sender more than us.
      rateLimit: { perMinute: 600 },
      body: z.strictObject({ ...base, ...CHALLENGE_FIELDS, email: emailSchema, password: passwordSchema }),
      handle: async ({ body }, context) => logInWithPassword(deps, context, body),
    }),
    defineRoute({
      ...form,
      method: 'post',
      path: '/login/link',
      summary: 'Mails a link to sign in with; the answer does not tell whether there is such an account',
      // The other fields are on the same form, and sent along unused.
      body: z.strictObject({ ...base, ...CHALLENGE_FIELDS, email: emailSchema, password: passwordSchema.optional() }),
      handle: async ({ body }, context) => sendMagicLink(deps, context, body),
    }),
    defineRoute({
      ...page,
      method: 'get',
      path: '/login/forgot',
      summary: 'Asks for the address to send a reset link to',
      query,
      handle: async (input, context) =>
        askForAddress(deps, context, 'password_reset', { returnTo: input.query.return_to }),
    }),
    defineRoute({
      ...form,
      method: 'post',
      path: '/login/forgot',
      summary: 'Mails a reset link; the answer does not tell whether there is such an account',
      body: z.strictObject({ ...base, email: emailSchema }),
      handle: async ({ body }, context) => sendResetLink(deps, context, body),
    }),
    defineRoute({
      ...page,
      method: 'get',
      path: '/login/second-factor',
      summary: 'Asks for the second factor of a login',
      query,
      handle: async (input, context) => openSecondFactor(deps, context, input.query.return_to),
    }),
    defineRoute({
      ...form,
      method: 'post',
      path: '/login/second-factor',
      summary: 'Completes a login with a code of the generator or a recovery code',
      body: z.strictObject({ ...base, code: codeSchema }),
      handle: async ({ body }, context) => logInWithCode(deps, context, body),
    }),
    defineRoute({
      ...form,
      method: 'post',
      path: '/login/second-factor/passkey',
      summary: 'Completes a login with a passkey',
      body: z.strictObject({ ...base, credential }),
      handle: async ({ body }, context) => logInWithSecondPasskey(deps, context, body),
    }),
    defineRoute({
      ...options,
      path: '/login/second-factor/passkey/options',
      summary: 'WebAuthn options for the passkeys of whoever is half signed in',
      handle: async ({ body }, context) => offerSecondPasskey(deps, context, body),
    }),
    defineRoute({
      ...form,
      method: 'post',
      path: '/login/passkey',
      summary: 'Signs in with a passkey alone',
      body: z.strictObject({ ...base, credential }),
      handle: async ({ body }, context) => logInWithPasskey(deps, context, body),
    }),
    defineRoute({
      ...options,
      path: '/login/passkey/options',
      summary: 'WebAuthn options for any passkey',
      handle: async ({ body }, context) => offerPasskeyLogin(deps, context, body),
    }),
  ];
}
