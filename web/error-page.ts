import { parseCookie } from 'cookie';
import type { RouteContext } from '../api/http/define-route.ts';
import type { ErrorPage } from '../api/http/error-handler.ts';
import { ERROR_STATUS } from '../api/http/error-status.ts';
import { type HtmlValue, html } from '../api/http/pages/html.ts';
import { FairleadError } from '../domain/errors.ts';
import type { ShellDeps } from './deps.ts';
import { emptyState, linkButton } from './look/components.ts';
import { renderPlainDocument } from './look/document.ts';
import type { IconName } from './look/icons.ts';
import type { Page } from './page.ts';
import { pageDocument } from './page-document.ts';
import { type DocumentReply, writeDocument } from './respond.ts';
import type { Session } from './session/sessions.ts';
import { signInPath } from './session/sign-in-pages.ts';

interface Failure {
  readonly session: Session | null;
  readonly context: Pick<RouteContext, 'url' | 'requestId'>;
  readonly page: Page | null;
}

/** The page of an error. An ended session is forgotten, and everything else of the shell stays where somebody is signed in. */
export function errorDocument(shell: ShellDeps, error: FairleadError, failure: Failure): DocumentReply {
  const { session, context, page } = failure;
  const status = ERROR_STATUS[error.code];
  if (error.code === 'UNAUTHORIZED' || session === null) return signedOutDocument(shell, error, context);
  const { title, icon, text } = wordsOf(error, status);
  const body = html`<section class="card">${emptyState({
    ...{ icon, title, text },
    action: html`${linkButton('/', 'Go to the overview', { primary: true })}${status >= 500 && linkButton(context.url, 'Try again')}`,
  })}</section>${requestNumber(context)}`;
  const view = { title: status === 404 ? 'Not found' : title, body };
  const document = pageDocument(shell, {
    page,
    session,
    params: {},
    view,
    outcome: null,
    url: context.url,
    isError: true,
  });
  return { status, document, cookies: session.cookies() };
}

function signedOutDocument(shell: ShellDeps, error: FairleadError, context: Failure['context']): DocumentReply {
  const status = ERROR_STATUS[error.code];
  const isEnded = error.code === 'UNAUTHORIZED';
  const document = renderPlainDocument(
    {
      title: isEnded ? 'Sign in again' : status === 404 ? 'Not found' : 'This did not work',
      body: html`<p>${error.message}.</p>
<div class="buttons">${linkButton(isEnded ? signInPath(context.url) : '/', isEnded ? 'Sign in' : 'Go to the overview', { primary: true })}</div>
${!isEnded && requestNumber(context)}`,
    },
    shell.now(),
  );
  return { status, document, cookies: isEnded ? shell.sessions.forget : [] };
}

function requestNumber({ requestId }: Failure['context']): HtmlValue {
  return html`<p class="quiet small">Number of this request: <code>${requestId}</code></p>`;
}

function wordsOf(error: FairleadError, status: number): { title: string; icon: IconName; text: string } {
  const text = `${error.message}.`;
  if (status === 404) {
    return {
      icon: 'search',
      title: 'There is nothing here',
      text: `${text} It may have been removed, or belong to another organisation.`,
    };
  }
  if (status === 403) return { icon: 'shield', title: 'Your role does not allow this', text };
  if (status === 429) return { icon: 'clock', title: 'Too many requests', text };
  if (status === 503) return { icon: 'alert', title: 'A part of the platform does not answer', text };
  if (status >= 500) return { icon: 'alert', title: 'Something went wrong here', text };
  return { icon: 'info', title: 'This did not work', text };
}

/** The page of an error that no page of ours has caught, such as an address that is none. */
export function createErrorPage(shell: ShellDeps): ErrorPage {
  return async (error, request, response) => {
    const cookies = parseCookie(request.headers.cookie ?? '');
    // Who is signed in only changes what is around the message.
    const session = await shell.sessions.open({ cookies }).catch(() => null);
    const context = { url: request.originalUrl, requestId: String(response.locals.requestId ?? '') };
    const said =
      error.code === 'NOT_FOUND' ? new FairleadError('NOT_FOUND', 'There is no page at this address') : error;
    writeDocument(response, errorDocument(shell, said, { session, context, page: null }));
  };
}
