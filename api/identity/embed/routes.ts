import { z } from 'zod';
import type { ErrorCode } from '../../../domain/errors.ts';
import {
  confirmEmailBodySchema,
  embedTokensSchema,
  forgotPasswordBodySchema,
  loginBodySchema,
  magicLinkBodySchema,
  refreshBodySchema,
  resetPasswordBodySchema,
  resetTokenSchema,
  sendConfirmationBodySchema,
  sentSchema,
  setInitialPasswordBodySchema,
  signupBodySchema,
  verifyBodySchema,
} from '../../../domain/identity/embed-schema.ts';
import { defineRoute, type Route, type RouteContext, type RouteResponse } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { tokenReplySchema } from '../tokens/token-reply.ts';
import { embedConfirmEmail, embedSendConfirmation } from './confirm-email.ts';
import { type EmbedCaller, requireEmbedCaller } from './embed-client.ts';
import { embedLogin, embedVerify } from './login.ts';
import { embedMagicLink } from './magic-link.ts';
import { embedRefresh } from './refresh.ts';
import { embedForgotPassword, embedResetPassword } from './reset-password.ts';
import { embedSetInitialPassword } from './set-initial-password.ts';
import { embedSignup } from './signup.ts';

interface Operation<B extends z.ZodType> {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly body: B;
  readonly status?: 200 | 201;
  readonly reply: RouteResponse;
  readonly errors: readonly ErrorCode[];
  readonly run: (caller: EmbedCaller, body: z.output<B>, context: RouteContext) => unknown;
}

/** One server makes the requests of all its people, so this is a bound on the server, not on anybody's guesses. */
const PER_MINUTE = 1_200;

const tokens = { description: 'Tokens, and whose they are', schema: embedTokensSchema };
const loginErrors = ['LOGIN_FAILED', 'LOGIN_LOCKED', 'SECOND_FACTOR_REQUIRED', 'OAUTH_INVALID_SCOPE'] as const;

/** The headless API (spec 1, "Identity provider", D): replies as the spec shows them, without an envelope. */
export function embedRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    embedRoute(deps, {
      name: 'signup',
      summary: 'Trusted sign-up: an account whose address the client vouches for',
      body: signupBodySchema,
      status: 201,
      reply: tokens,
      errors: ['ROLES_NOT_ACCEPTED', 'TRUSTED_SIGNUP_REFUSED', 'USER_EXISTS', 'INVITE_INVALID', 'PASSWORD_REFUSED'],
      run: (caller, body, context) => embedSignup(deps, context, caller, body),
    }),
    embedRoute(deps, {
      name: 'login',
      summary: 'Sign in by password',
      description: 'After SECOND_FACTOR_REQUIRED, send the same with the code as otp.',
      body: loginBodySchema,
      reply: tokens,
      errors: loginErrors,
      run: (caller, body, context) => embedLogin(deps, context, caller, body),
    }),
    embedRoute(deps, {
      name: 'magic-link',
      summary: 'Mail a link to sign in with; the answer is the same whether there is an account',
      body: magicLinkBodySchema,
      reply: { description: 'Sent, if there is such an account', schema: sentSchema },
      errors: [],
      run: (caller, body) => embedMagicLink(deps, caller, body),
    }),
    embedRoute(deps, {
      name: 'verify',
      summary: 'Sign in by the token of a mailed link',
      description: 'After SECOND_FACTOR_REQUIRED the link still works: send the same with the code as otp.',
      body: verifyBodySchema,
      reply: tokens,
      errors: ['LINK_INVALID', 'CONFLICT', ...loginErrors],
      run: (caller, body, context) => embedVerify(deps, context, caller, body),
    }),
    embedRoute(deps, {
      name: 'forgot-password',
      summary: 'Mail a link to choose a new password, or answer its token (sendEmail false)',
      description: 'Only sendEmail false tells whether there is an account, and only of people the client manages.',
      body: forgotPasswordBodySchema,
      reply: { description: 'Sent, or the token', schema: z.union([sentSchema, resetTokenSchema]) },
      errors: ['SELF_SEND_REQUIRES_SECRET', 'USER_NOT_FOUND'],
      run: (caller, body, context) => embedForgotPassword(deps, context, caller, body),
    }),
    embedRoute(deps, {
      name: 'reset-password',
      summary: 'Choose a new password by the token of a link; ends all logins made with the old one',
      body: resetPasswordBodySchema,
      reply: { description: 'The password is set', schema: z.object({ reset: z.literal(true) }) },
      errors: ['LINK_INVALID', 'PASSWORD_REFUSED', 'CONFLICT'],
      run: (caller, body, context) => embedResetPassword(deps, context, caller, body),
    }),
    embedRoute(deps, {
      name: 'send-confirmation',
      summary: 'Mail a link to confirm an address with; the answer is the same whether there is an account',
      description: 'Only the newest link works. A confirmed address is sent nothing.',
      body: sendConfirmationBodySchema,
      reply: { description: 'Sent, if there is such an account and it needs one', schema: sentSchema },
      errors: [],
      run: (caller, body) => embedSendConfirmation(deps, caller, body),
    }),
    embedRoute(deps, {
      name: 'confirm-email',
      summary: 'Confirm the address of whoever is signed in, by the token of a mailed link',
      body: confirmEmailBodySchema,
      reply: { description: 'The address is confirmed', schema: z.object({ confirmed: z.literal(true) }) },
      errors: ['LINK_INVALID', 'UNAUTHORIZED'],
      run: (caller, body, context) => embedConfirmEmail(deps, context, caller, body),
    }),
    embedRoute(deps, {
      name: 'set-initial-password',
      summary: 'Set the first password of a provisioned account, once',
      body: setInitialPasswordBodySchema,
      reply: { description: 'The password is set', schema: z.object({ passwordSet: z.literal(true) }) },
      errors: ['NOT_ELIGIBLE', 'TRUSTED_SIGNUP_REFUSED', 'PASSWORD_REFUSED'],
      run: (caller, body, context) => embedSetInitialPassword(deps, context, caller, body),
    }),
    embedRoute(deps, {
      name: 'refresh',
      summary: 'Refresh a login; those of trusted sign-up are refreshed at the token endpoint',
      body: refreshBodySchema,
      reply: { description: 'New tokens', schema: tokenReplySchema },
      errors: ['OAUTH_INVALID_GRANT', 'OAUTH_INVALID_SCOPE', 'OAUTH_UNAUTHORIZED_CLIENT'],
      run: (caller, body, context) => embedRefresh(deps, context, caller, body),
    }),
  ];
}

function embedRoute<B extends z.ZodType>(deps: IdentityDeps, operation: Operation<B>): Route {
  const { name, summary, description, body, status = 200, reply, errors, run } = operation;
  return defineRoute({
    method: 'post',
    path: `/api/embed/${name}`,
    summary,
    ...(description === undefined ? {} : { description }),
    tag: 'headless',
    // The client authenticates by its own headers: see requireEmbedCaller.
    callers: 'public',
    replies: 'bare',
    crossOrigin: { headers: ['Content-Type', 'X-Client-Id'] },
    rateLimit: { perMinute: PER_MINUTE },
    body,
    responses: { [status]: reply },
    errors: ['OAUTH_INVALID_CLIENT', 'ORIGIN_REFUSED', 'FORBIDDEN', ...errors],
    handle: async (input, context) => {
      const caller = await requireEmbedCaller(deps, context);
      return { status, data: await run(caller, input.body, context) };
    },
  });
}
