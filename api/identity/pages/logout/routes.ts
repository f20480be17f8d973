import { z } from 'zod';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { PAGE_RESPONSES } from '../../../http/pages/page-responses.ts';
import type { IdentityDeps } from '../../deps.ts';
import { csrfSchema } from '../form-fields.ts';
import { confirmLogout, requestLogout } from './logout-page.ts';

const fields = {
  id_token_hint: z.string().max(16_000).default(''),
  client_id: z.string().max(200).default(''),
  post_logout_redirect_uri: z.string().max(2_000).default(''),
  state: z.string().max(2_000).default(''),
};

const page = {
  tag: 'oauth',
  callers: 'public',
  replies: 'page',
  responses: PAGE_RESPONSES,
  errors: ['INVALID_REDIRECT_URI', 'OAUTH_INVALID_REQUEST'],
} as const;

/** The end session endpoint (OpenID Connect RP-Initiated Logout 1.0). */
export function logoutRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      ...page,
      method: 'get',
      path: '/oauth/logout',
      summary: 'Signs out, asking first when nothing shows whose session it is about',
      query: z.looseObject(fields),
      handle: async ({ query }, context) => requestLogout(deps, context, pick(query)),
    }),
    defineRoute({
      ...page,
      method: 'post',
      path: '/oauth/logout',
      summary: 'The same as a form',
      bodyTypes: ['form'],
      body: z.looseObject(fields),
      handle: async ({ body }, context) => requestLogout(deps, context, pick(body)),
    }),
    defineRoute({
      ...page,
      method: 'post',
      path: '/oauth/logout/confirm',
      summary: 'The person agreed to sign out',
      bodyTypes: ['form'],
      body: z.strictObject({ csrf: csrfSchema, ...fields }),
      errors: ['CSRF_REFUSED', 'INVALID_REDIRECT_URI', 'OAUTH_INVALID_REQUEST'],
      handle: async ({ body }, context) => confirmLogout(deps, context, body),
    }),
  ];
}

/** What is not ours, such as `ui_locales`, is left alone. */
function pick({ id_token_hint, client_id, post_logout_redirect_uri, state }: z.output<z.ZodObject<typeof fields>>) {
  return { id_token_hint, client_id, post_logout_redirect_uri, state };
}
