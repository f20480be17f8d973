import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { CodeLogin } from '../../../domain/identity/code-login.ts';
import { parseJson } from '../../../domain/parse-json.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { REDIRECT_RESPONSE } from '../../http/pages/page-responses.ts';
import { redirectTo } from '../../http/pages/send-page.ts';
import type { AuditPagesDeps } from './deps.ts';
import { readCookie, writeCookie } from './session.ts';

const HOME = '/audit';
const ATTEMPT_SECONDS = 600;

const attemptSchema = z.object({
  verifier: z.string(),
  state: z.string(),
  nonce: z.string(),
  to: z.string().refine(isOwnPage),
});

/** Signing in to the ledger's pages, and out of them. */
export function loginRoutes(deps: AuditPagesDeps): readonly Route[] {
  const page = { tag: 'pages', callers: 'public', replies: 'page', responses: REDIRECT_RESPONSE } as const;
  return [
    defineRoute({
      ...page,
      method: 'get',
      path: '/audit/login',
      summary: 'Sends a browser to sign in at the identity provider',
      query: z.strictObject({ to: z.string().max(2_000).optional() }),
      errors: ['UNAVAILABLE'],
      handle: async ({ query }) => {
        const { url, attempt } = await requireLogin(deps).begin();
        const to = query.to !== undefined && isOwnPage(query.to) ? query.to : HOME;
        const kept = Buffer.from(JSON.stringify({ ...attempt, to })).toString('base64url');
        return redirectTo(url, [writeCookie(deps, 'attempt', kept, ATTEMPT_SECONDS)]);
      },
    }),
    defineRoute({
      ...page,
      method: 'get',
      path: '/api/auth/callback',
      summary: 'Where the identity provider sends the browser back to',
      query: z.looseObject({}),
      errors: ['UNAUTHORIZED', 'UNAVAILABLE'],
      handle: async (_input, context) => {
        const attempt = readAttempt(readCookie(deps, 'attempt', context));
        if (attempt === null) throw new FairleadError('UNAUTHORIZED', 'This login was not begun in this browser');
        const query = context.url.slice(context.url.indexOf('?') + 1);
        const { accessToken, expiresInSeconds } = await requireLogin(deps).finish(query, attempt);
        return redirectTo(attempt.to, [
          writeCookie(deps, 'session', accessToken, expiresInSeconds),
          writeCookie(deps, 'attempt', '', 0),
        ]);
      },
    }),
    defineRoute({
      ...page,
      method: 'post',
      path: '/audit/logout',
      summary: 'Forgets the login of this browser',
      bodyTypes: ['form'],
      body: z.looseObject({}),
      responses: REDIRECT_RESPONSE,
      handle: async () => redirectTo('/audit/signed-out', [writeCookie(deps, 'session', '', 0)]),
    }),
  ];
}

/** A page of ours and nothing that a browser takes for another host. */
function isOwnPage(path: string): boolean {
  return /^\/audit(?:[/?][\x21-\x7e]*)?$/.test(path) && !path.includes('\\');
}

function readAttempt(cookie: string | null): z.output<typeof attemptSchema> | null {
  if (cookie === null) return null;
  return attemptSchema.safeParse(parseJson(Buffer.from(cookie, 'base64url').toString())).data ?? null;
}

function requireLogin({ login }: AuditPagesDeps): CodeLogin {
  if (login !== null) return login;
  throw new FairleadError('UNAVAILABLE', 'This ledger knows no identity provider to sign in at: set IDP_URL');
}
