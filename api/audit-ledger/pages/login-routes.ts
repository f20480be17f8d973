import { z } from 'zod';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { REDIRECT_RESPONSE } from '../../http/pages/page-responses.ts';
import { redirectTo } from '../../http/pages/send-page.ts';
import { signInRoutes } from '../../http/sign-in/sign-in-routes.ts';
import type { AuditPagesDeps } from './deps.ts';
import { sessionCookies } from './session.ts';

/** Signing in to the ledger's pages, and out of them. */
export function loginRoutes(deps: AuditPagesDeps): readonly Route[] {
  const cookies = sessionCookies(deps);
  return [
    ...signInRoutes({
      ...{ login: deps.login, cookies, title: 'audit ledger', path: '/audit/login', home: '/audit' },
      isPage: (path) => /^\/audit(?:[/?]|$)/.test(path),
      keep: ({ accessToken, expiresInSeconds }) => [cookies.write('session', accessToken, expiresInSeconds)],
    }),
    defineRoute({
      tag: 'pages',
      callers: 'public',
      replies: 'page',
      method: 'post',
      path: '/audit/logout',
      summary: 'Forgets the login of this browser',
      bodyTypes: ['form'],
      body: z.looseObject({}),
      responses: REDIRECT_RESPONSE,
      handle: async () => redirectTo('/audit/signed-out', [cookies.clear('session')]),
    }),
  ];
}
