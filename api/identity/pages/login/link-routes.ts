import { z } from 'zod';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { PAGE_RESPONSES } from '../../../http/pages/page-responses.ts';
import type { IdentityDeps } from '../../deps.ts';
import { csrfSchema, emailSchema, nameSchema, passwordSchema, tokenSchema } from '../form-fields.ts';
import { openInvite, takeInvite } from './invite-page.ts';
import { openMagicLink, takeMagicLink } from './magic-page.ts';
import { openReset, resetPassword } from './reset-page.ts';
import { openWelcome, welcome } from './welcome-page.ts';

/** Mail programs add parameters of their own to links. */
const query = z.looseObject({ token: tokenSchema });

const page = { tag: 'pages', callers: 'public', replies: 'page', responses: PAGE_RESPONSES } as const;
const opened = { ...page, method: 'get', query, errors: ['LINK_INVALID'] } as const;
const sent = {
  ...page,
  method: 'post',
  bodyTypes: ['form'],
  errors: ['CSRF_REFUSED', 'LINK_INVALID'],
  rateLimit: { perMinute: 120 },
} as const;

const base = { csrf: csrfSchema, token: tokenSchema };
const person = { firstName: nameSchema, lastName: nameSchema, password: passwordSchema };

/** Pages behind links that work once. GET never takes one: whatever opens links must not use them up. */
export function linkRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      ...opened,
      path: '/login/magic',
      summary: 'Shows the button behind a mailed link',
      handle: async (input, context) => openMagicLink(deps, context, input.query.token),
    }),
    defineRoute({
      ...sent,
      path: '/login/magic',
      summary: 'Signs in by a mailed link, once',
      body: z.strictObject(base),
      handle: async ({ body }, context) => takeMagicLink(deps, context, body),
    }),
    defineRoute({
      ...opened,
      path: '/login/reset',
      summary: 'Asks for a new password',
      handle: async (input, context) => openReset(deps, context, input.query.token),
    }),
    defineRoute({
      ...sent,
      path: '/login/reset',
      summary: 'Sets a new password by a mailed link, once',
      body: z.strictObject({ ...base, email: emailSchema, password: passwordSchema }),
      handle: async ({ body }, context) => resetPassword(deps, context, body),
    }),
    defineRoute({
      ...opened,
      path: '/welcome',
      summary: 'Asks who administers a new installation',
      handle: async (input, context) => openWelcome(deps, context, input.query.token),
    }),
    defineRoute({
      ...sent,
      path: '/welcome',
      summary: 'Makes the first administrator, once',
      body: z.strictObject({ ...base, ...person, email: emailSchema }),
      handle: async ({ body }, context) => welcome(deps, context, body),
    }),
    defineRoute({
      ...opened,
      path: '/invites/accept',
      summary: 'Shows an invitation',
      errors: ['INVITE_INVALID'],
      handle: async (input, context) => openInvite(deps, context, input.query.token),
    }),
    defineRoute({
      ...sent,
      path: '/invites/accept',
      summary: 'Accepts an invitation, once',
      errors: ['CSRF_REFUSED', 'INVITE_INVALID'],
      body: z.strictObject({ ...base, firstName: nameSchema, lastName: nameSchema, password: passwordSchema }),
      handle: async ({ body }, context) => takeInvite(deps, context, body),
    }),
  ];
}
