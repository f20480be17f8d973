import type { ErrorCode } from '../../../domain/errors.ts';
import type { ErrorPage } from '../../http/error-handler.ts';
import { ERROR_STATUS } from '../../http/error-status.ts';
import { html } from '../../http/pages/html.ts';
import { sendPage } from '../../http/pages/send-page.ts';
import type { IdentityDeps } from '../deps.ts';
import { platformBrand } from './brand.ts';

/** Headings for people; the message says the rest. */
const TITLES: Partial<Record<ErrorCode, string>> = {
  INVALID_REDIRECT_URI: 'Invalid Redirect URI',
  OAUTH_INVALID_CLIENT: 'Unknown application',
  CSRF_REFUSED: 'This form has expired',
  LINK_INVALID: 'This link no longer works',
  INVITE_INVALID: 'This invitation no longer works',
  RATE_LIMITED: 'Too many requests',
  LOGIN_LOCKED: 'Too many attempts',
  NOT_FOUND: 'Page not found',
  UNAVAILABLE: 'Temporarily unavailable',
  INTERNAL: 'Something went wrong',
};

/** The page of an error. It never redirects: what is wrong may be the very address. */
export function createErrorPage(deps: Pick<IdentityDeps, 'settings'>): ErrorPage {
  return async (error, _request, response) => {
    if (error.retryable) response.setHeader('Retry-After', '2');
    const requestId = String(response.locals.requestId ?? '');
    const view = {
      title: TITLES[error.code] ?? 'This did not work',
      brand: platformBrand(deps),
      body: html`<p role="alert">${error.message}.</p>
<p class="quiet">If this goes on, tell the people who run ${deps.settings.platformName} this number:
<code>${requestId}</code></p>
<p><a href="/account">Go to your account</a></p>`,
    };
    const reply = sendPage(view, { status: ERROR_STATUS[error.code] });
    if (typeof reply === 'function') await reply(response);
  };
}
