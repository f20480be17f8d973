import { z } from 'zod';
import { defineRoute, type Route } from '../../api/http/define-route.ts';
import { html } from '../../api/http/pages/html.ts';
import { PAGE_RESPONSES, REDIRECT_RESPONSE } from '../../api/http/pages/page-responses.ts';
import { redirectTo } from '../../api/http/pages/send-page.ts';
import { signInRoutes } from '../../api/http/sign-in/sign-in-routes.ts';
import { SIGN_IN_CALLBACK } from '../../domain/services.ts';
import type { ShellDeps } from '../deps.ts';
import { externalLink, linkButton, notice } from '../look/components.ts';
import { renderPlainDocument } from '../look/document.ts';
import { CSRF_FIELD } from '../look/forms.ts';
import { sendDocument } from '../respond.ts';
import { requireOwnForm } from './csrf.ts';

const SIGN_IN = '/sign-in';
const HOME = '/';

/** Where somebody goes to sign in, and comes back from to `path`. */
export function signInPath(path: string): string {
  return path === HOME ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ to: path })}`;
}

/** Signing in to the console, and out of it. */
export function signInPages(shell: ShellDeps): readonly Route[] {
  const { sessions, login, cookies } = shell;
  const page = { tag: 'console', callers: 'public', replies: 'page' } as const;
  return [
    ...signInRoutes({
      ...{ login, cookies, title: 'console', path: SIGN_IN, home: HOME },
      isPage: (path) => ![SIGN_IN, SIGN_IN_CALLBACK, '/signed-out', '/live'].some((own) => path.startsWith(own)),
      keep: sessions.begin,
    }),
    defineRoute({
      ...page,
      method: 'post',
      path: '/sign-out',
      summary: 'Ends the session of this browser',
      bodyTypes: ['form'],
      body: z.looseObject({ [CSRF_FIELD]: z.string().optional() }),
      responses: REDIRECT_RESPONSE,
      errors: ['CSRF_REFUSED', 'ORIGIN_REFUSED'],
      handle: async ({ body }, context) => {
        const kept = sessions.peek(context);
        if (kept !== null) {
          requireOwnForm(context, { presented: body[CSRF_FIELD], expected: kept.csrf, origin: shell.origin });
        }
        const ended = await sessions.end(context);
        return redirectTo(ended.told ? '/signed-out' : '/signed-out?provider=away', ended.cookies);
      },
    }),
    defineRoute({
      ...page,
      method: 'get',
      path: '/signed-out',
      summary: 'Says that this browser is signed out of the console',
      query: z.strictObject({ provider: z.literal('away').optional() }),
      responses: PAGE_RESPONSES,
      handle: async ({ query }) =>
        sendDocument({
          document: renderPlainDocument(
            { title: 'Signed out', body: signedOut(shell, query.provider === 'away') },
            shell.now(),
          ),
        }),
    }),
  ];
}

function signedOut({ addresses }: ShellDeps, isProviderAway: boolean) {
  return html`${isProviderAway && notice('warn', html`<p>The identity provider did not answer: it was not told that this session has ended. The session ends there by itself.</p>`)}
<p>This browser is signed out of the console. You are still signed in at the identity provider${addresses.idp !== undefined && html`; you can ${externalLink(`${addresses.idp}/account`, 'sign out there')} as well`}.</p>
<div class="buttons">${linkButton(SIGN_IN, 'Sign in', { primary: true })}</div>`;
}
