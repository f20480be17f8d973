import { defineRoute, type Reply, type Route } from '../api/http/define-route.ts';
import { PAGE_RESPONSES } from '../api/http/pages/page-responses.ts';
import { redirectTo } from '../api/http/pages/send-page.ts';
import { FairleadError } from '../domain/errors.ts';
import type { ShellDeps } from './deps.ts';
import { errorDocument } from './error-page.ts';
import type { Page } from './page.ts';
import { pageContext, pageDocument, requireCaller, type Visit } from './page-document.ts';
import { sendDocument } from './respond.ts';
import { signInPath } from './session/sign-in-pages.ts';

/** The route of a page. Its row is public, for whoever is not signed in is sent to sign in. */
export function pageRoute(shell: ShellDeps, page: Page): Route {
  return defineRoute({
    method: 'get',
    path: page.path,
    summary: page.summary,
    description: 'For people; others are sent to sign in.',
    tag: page.module,
    callers: 'public',
    replies: 'page',
    responses: PAGE_RESPONSES,
    errors: ['FORBIDDEN', 'NOT_FOUND', 'UNAUTHORIZED', 'UNAVAILABLE'],
    params: page.params,
    query: page.query,
    handle: async ({ params, query }, context) => {
      const session = await shell.sessions.open(context);
      if (session === null) return redirectTo(signInPath(context.url));
      return showPage(shell, page, { session, params, query, context });
    },
  });
}

async function showPage(shell: ShellDeps, page: Page, visit: Visit): Promise<Reply> {
  const { session, params, context } = visit;
  const outcome = shell.outcomes.read(session.id, context.url, context);
  const forgotten = outcome === null ? [] : [shell.outcomes.forget];
  try {
    requireCaller(page, session);
    const view = await page.open(pageContext(shell, visit, outcome));
    const document = pageDocument(shell, { page, session, params, view, outcome, url: context.url });
    return sendDocument({ document, cookies: [...session.cookies(), ...forgotten] });
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return sendDocument(errorDocument(shell, error, { session, context, page }));
  }
}
