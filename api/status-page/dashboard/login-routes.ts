import { z } from 'zod';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { html } from '../../http/pages/html.ts';
import { PAGE_RESPONSES, REDIRECT_RESPONSE } from '../../http/pages/page-responses.ts';
import { redirectTo, sendPage } from '../../http/pages/send-page.ts';
import { signInRoutes } from '../../http/sign-in/sign-in-routes.ts';
import type { DashboardSignIn } from './deps.ts';
import { MONITOR_BRAND } from './layout.ts';
import { requireOwnForm } from './member-page.ts';
import { sessionCookies } from './session.ts';

const page = { tag: 'dashboard', callers: 'public', replies: 'page' } as const;

/** Signing in to the dashboard, and out of it. */
export function loginRoutes(deps: DashboardSignIn): readonly Route[] {
  const cookies = sessionCookies(deps);
  return [
    ...signInRoutes({
      ...{ login: deps.login, cookies, title: 'uptime monitor', path: '/dashboard/login', home: '/dashboard' },
      isPage: (path) => /^\/dashboard(?:[/?]|$)/.test(path),
      keep: ({ accessToken, expiresInSeconds }) => [cookies.write('session', accessToken, expiresInSeconds)],
    }),
    defineRoute({
      ...{ ...page, method: 'post', path: '/dashboard/logout', responses: REDIRECT_RESPONSE },
      summary: 'Forgets the login of this browser',
      bodyTypes: ['form'],
      body: z.looseObject({}),
      errors: ['ORIGIN_REFUSED'],
      handle: async (_input, context) => {
        requireOwnForm(context, deps.origin);
        return redirectTo('/dashboard/signed-out', [cookies.clear('session')]);
      },
    }),
    defineRoute({
      ...{ ...page, method: 'get', path: '/dashboard/signed-out', responses: PAGE_RESPONSES },
      summary: 'A page that says that this browser is signed out here',
      handle: async () =>
        sendPage({
          title: 'Signed out',
          brand: MONITOR_BRAND,
          body: html`<p>This browser is signed out of the uptime monitor. The login at the identity provider goes on.</p>
<p><a href="/dashboard">Sign in again</a></p>`,
        }),
    }),
  ];
}
