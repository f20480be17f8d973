import { z } from 'zod';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { OPTIONS_RESPONSE, PAGE_RESPONSES } from '../../../http/pages/page-responses.ts';
import type { IdentityDeps } from '../../deps.ts';
import { codeSchema, csrfSchema, emailSchema, passwordSchema } from '../form-fields.ts';
import { CHALLENGE_FIELDS } from '../login-challenge-fields.ts';
import { openAccount } from './account-page.ts';
import { AUDIT_PATH, openAudit } from './audit-page.ts';
import { changePassword } from './change-password.ts';
import { endGrant, endOtherSessions, endSession } from './end-logins.ts';
import { addPasskey, offerPasskey, removePasskey } from './manage-passkeys.ts';
import { confirmTotp, removeTotp, setUpTotp } from './manage-totp.ts';
import { renewRecoveryCodes } from './recovery-codes.ts';
import {
  offerShownPasskey,
  openShowFactor,
  SHOW_FACTOR_PATH,
  showFactorByCode,
  showFactorByPasskey,
} from './show-factor.ts';

/** Guarded by the session and the form's token rather than by a caller kind: a browser without one is sent to sign in. */
const page = { tag: 'pages', callers: 'public', replies: 'page', responses: PAGE_RESPONSES } as const;
const form = {
  ...page,
  method: 'post',
  bodyTypes: ['form'],
  errors: ['CSRF_REFUSED', 'UNAUTHORIZED'],
  rateLimit: { perMinute: 120 },
} as const;

const csrfOnly = z.strictObject({ csrf: csrfSchema });
const idSchema = z.string().max(1_400);
const withId = z.strictObject({ csrf: csrfSchema, id: idSchema });
/** Of forms that change ways of signing in; see show-factor.ts. */
const proven = z.strictObject({ csrf: csrfSchema, proof: z.string().max(1_000).default('') });
const credentialSchema = z.string().max(40_000);

/** The account page and its forms. */
export function accountPageRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      ...page,
      method: 'get',
      path: '/account',
      summary: 'Ways of signing in, and where one is signed in',
      query: z.looseObject({ notice: z.string().max(20).optional() }),
      handle: async ({ query }, context) => openAccount(deps, context, { notice: query.notice }),
    }),
    defineRoute({
      ...form,
      path: '/account/sessions/end',
      summary: 'Signs another browser out',
      body: withId,
      handle: async ({ body }, context) => endSession(deps, context, body),
    }),
    defineRoute({
      ...form,
      path: '/account/sessions/end-others',
      summary: 'Signs all other browsers out',
      body: csrfOnly,
      handle: async ({ body }, context) => endOtherSessions(deps, context, body),
    }),
    defineRoute({
      ...form,
      path: '/account/grants/end',
      summary: 'Takes access from an application',
      body: withId,
      handle: async ({ body }, context) => endGrant(deps, context, body),
    }),
    defineRoute({
      ...form,
      path: '/account/password',
      summary: 'Changes the password',
      body: z.strictObject({
        ...CHALLENGE_FIELDS,
        csrf: csrfSchema,
        email: emailSchema,
        current: passwordSchema,
        password: passwordSchema,
      }),
      handle: async ({ body }, context) => changePassword(deps, context, body),
    }),
    defineRoute({
      ...page,
      method: 'get',
      path: AUDIT_PATH,
      summary: 'What was changed in an org, for its admins',
      query: z.looseObject({ org: z.string().max(63).default(''), cursor: z.string().max(500).optional() }),
      errors: ['ORG_NOT_FOUND'],
      handle: async ({ query }, context) => openAudit(deps, context, query),
    }),
    ...factorRoutes(deps),
    ...showFactorRoutes(deps),
  ];
}

function factorRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      ...form,
      path: '/account/totp',
      summary: 'Shows the secret of a new code generator',
      body: proven,
      handle: async ({ body }, context) => setUpTotp(deps, context, body),
    }),
    defineRoute({
      ...form,
      path: '/account/totp/confirm',
      summary: 'Switches the code generator on by a first code',
      body: proven.extend({ code: codeSchema }),
      handle: async ({ body }, context) => confirmTotp(deps, context, body),
    }),
    defineRoute({
      ...form,
      path: '/account/totp/remove',
      summary: 'Removes the code generator',
      body: proven,
      handle: async ({ body }, context) => removeTotp(deps, context, body),
    }),
    defineRoute({
      ...form,
      path: '/account/recovery-codes',
      summary: 'Makes new recovery codes and shows them once',
      body: proven,
      handle: async ({ body }, context) => renewRecoveryCodes(deps, context, body),
    }),
    defineRoute({
      ...form,
      path: '/account/passkeys',
      summary: 'Adds a passkey',
      body: proven.extend({ credential: credentialSchema, name: z.string().trim().max(60).default('') }),
      handle: async ({ body }, context) => addPasskey(deps, context, body),
    }),
    defineRoute({
      ...form,
      path: '/account/passkeys/remove',
      summary: 'Removes a passkey',
      body: proven.extend({ id: idSchema }),
      handle: async ({ body }, context) => removePasskey(deps, context, body),
    }),
    defineRoute({
      ...form,
      replies: 'envelope',
      bodyTypes: ['json'],
      path: '/account/passkeys/options',
      summary: 'WebAuthn options for a new passkey',
      responses: OPTIONS_RESPONSE,
      body: csrfOnly,
      handle: async ({ body }, context) => offerPasskey(deps, context, body),
    }),
  ];
}

function showFactorRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      ...page,
      method: 'get',
      path: SHOW_FACTOR_PATH,
      summary: 'Asks for the second factor, before ways of signing in are changed',
      handle: async (_input, context) => openShowFactor(deps, context),
    }),
    defineRoute({
      ...form,
      path: SHOW_FACTOR_PATH,
      summary: 'Takes a code, and shows the account page, whose forms then change ways of signing in',
      body: z.strictObject({ csrf: csrfSchema, code: codeSchema }),
      handle: async ({ body }, context) => showFactorByCode(deps, context, body),
    }),
    defineRoute({
      ...form,
      path: `${SHOW_FACTOR_PATH}/passkey`,
      summary: 'Takes a passkey, the same way',
      body: z.strictObject({ csrf: csrfSchema, credential: credentialSchema }),
      handle: async ({ body }, context) => showFactorByPasskey(deps, context, body),
    }),
    defineRoute({
      ...form,
      replies: 'envelope',
      bodyTypes: ['json'],
      path: `${SHOW_FACTOR_PATH}/passkey/options`,
      summary: 'WebAuthn options for the passkey that is shown',
      responses: OPTIONS_RESPONSE,
      body: csrfOnly,
      handle: async ({ body }, context) => offerShownPasskey(deps, context, body),
    }),
  ];
}
