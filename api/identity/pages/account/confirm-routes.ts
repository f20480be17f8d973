import { z } from 'zod';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { PAGE_RESPONSES } from '../../../http/pages/page-responses.ts';
import type { IdentityDeps } from '../../deps.ts';
import { CONFIRM_PATH } from '../../login/confirm-address.ts';
import { csrfSchema, tokenSchema } from '../form-fields.ts';
import { confirmOwnAddress, openConfirm, sendConfirmation } from './confirm-page.ts';

const page = { tag: 'pages', callers: 'public', replies: 'page', responses: PAGE_RESPONSES } as const;
const form = { ...page, method: 'post', bodyTypes: ['form'], rateLimit: { perMinute: 120 } } as const;
const csrf = csrfSchema;

/** Confirming the address of an account, guarded like the account page itself. */
export function confirmRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      ...form,
      path: '/account/confirm/send',
      summary: 'Mails a link to confirm the address with; earlier ones stop working',
      errors: ['CSRF_REFUSED', 'UNAUTHORIZED'],
      body: z.strictObject({ csrf }),
      handle: async ({ body }, context) => sendConfirmation(deps, context, body),
    }),
    defineRoute({
      ...page,
      method: 'get',
      path: CONFIRM_PATH,
      summary: 'Shows the button behind a mailed link, to whom it is for',
      errors: ['LINK_INVALID'],
      // Mail programs add parameters of their own to links.
      query: z.looseObject({ token: tokenSchema }),
      handle: async ({ query }, context) => openConfirm(deps, context, query.token),
    }),
    defineRoute({
      ...form,
      path: CONFIRM_PATH,
      summary: 'Confirms the address, once',
      errors: ['CSRF_REFUSED', 'UNAUTHORIZED', 'LINK_INVALID'],
      body: z.strictObject({ csrf, token: tokenSchema }),
      handle: async ({ body }, context) => confirmOwnAddress(deps, context, body),
    }),
  ];
}
