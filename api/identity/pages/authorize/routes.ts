import { z } from 'zod';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { PAGE_RESPONSES, REDIRECT_RESPONSE } from '../../../http/pages/page-responses.ts';
import { redirectTo } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { csrfSchema } from '../form-fields.ts';
import { invalidRequest, queryOf } from './authorization-parameters.ts';
import { authorize, MAX_QUERY } from './authorize.ts';
import { decide } from './consent.ts';

/** Documented here; read from the URL itself, which shows what was given more than once. */
const text = z.union([z.string(), z.array(z.string())]).optional();
const requestSchema = z.looseObject({
  response_type: text.meta({ description: '`code`' }),
  client_id: text,
  redirect_uri: text.meta({ description: 'One that is registered, as the same string' }),
  scope: text,
  state: text,
  nonce: text,
  code_challenge: text.meta({ description: 'Required of every client (RFC 7636)' }),
  code_challenge_method: text.meta({ description: '`S256`' }),
  resource: text.meta({ description: 'Audience of the access token (RFC 8707); may be repeated' }),
  audience: text.meta({ description: 'The same by another name' }),
  prompt: text.meta({ description: '`none`, `login`, `consent`, `select_account`' }),
  max_age: text,
  login_hint: text,
  id_token_hint: text,
});

/** The authorization endpoint (RFC 6749, 3.1; OpenID Connect Core, 3.1.2). */
export function authorizeRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/oauth/authorize',
      summary: 'Authorization code flow with PKCE: signs the person in, asks for consent, and sends the code',
      tag: 'oauth',
      callers: 'public',
      replies: 'page',
      query: requestSchema,
      responses: PAGE_RESPONSES,
      errors: ['OAUTH_INVALID_CLIENT', 'INVALID_REDIRECT_URI', 'OAUTH_INVALID_REQUEST'],
      handle: async (_input, context) => authorize(deps, context, queryOf(context.url)),
    }),
    defineRoute({
      method: 'post',
      path: '/oauth/authorize',
      summary: 'The same request as a form, which is sent on as a query',
      tag: 'oauth',
      callers: 'public',
      replies: 'page',
      bodyTypes: ['form'],
      body: requestSchema,
      responses: REDIRECT_RESPONSE,
      // A form from another site comes without our cookies; the GET that follows has them (RFC 6265bis, 5.5.7).
      handle: async ({ body }) => {
        const query = asQuery(body);
        if (query.length > MAX_QUERY) throw invalidRequest('The request is too long');
        return redirectTo(`/oauth/authorize?${query}`);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/oauth/authorize/decision',
      summary: 'What the person answered on the consent page',
      tag: 'oauth',
      callers: 'public',
      replies: 'page',
      bodyTypes: ['form'],
      body: z.object({ csrf: csrfSchema, request: z.string().max(8_192), decision: z.enum(['allow', 'deny']) }),
      responses: REDIRECT_RESPONSE,
      errors: ['CSRF_REFUSED', 'UNAUTHORIZED', 'OAUTH_INVALID_CLIENT', 'INVALID_REDIRECT_URI'],
      handle: async ({ body }, context) => decide(deps, context, body),
    }),
  ];
}

function asQuery(body: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    for (const one of Array.isArray(value) ? value : [value]) if (typeof one === 'string') query.append(name, one);
  }
  return query.toString();
}
