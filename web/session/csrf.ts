import { hash, timingSafeEqual } from 'node:crypto';
import type { RouteContext } from '../../api/http/define-route.ts';
import { FairleadError } from '../../domain/errors.ts';

type Headers = Pick<RouteContext, 'headers' | 'origin'>;

/**
 * A form counts when a page of ours has sent it: the browser says so, and the form has the token of the session. A browser
 * that says nothing of where a form comes from is none of today's. @throws ORIGIN_REFUSED, CSRF_REFUSED
 */
export function requireOwnForm(
  context: Headers,
  form: { readonly presented: unknown; readonly expected: string; readonly origin: string },
): void {
  const { presented, expected, origin } = form;
  const site = context.headers['sec-fetch-site'];
  const isOwn = context.origin === null ? site === 'same-origin' : context.origin === origin;
  if (!isOwn || (site !== undefined && site !== 'same-origin')) {
    throw new FairleadError('ORIGIN_REFUSED', 'This form was not sent by a page of the console');
  }
  if (typeof presented !== 'string' || !timingSafeEqual(digest(presented), digest(expected))) {
    throw new FairleadError(
      'CSRF_REFUSED',
      'This form is of another session: load the page again and send it once more',
    );
  }
}

/**
 * A stream counts when a page of ours has opened it: each takes a place of the person, and one site's pages are of many
 * origins, such as those of deployed services. @throws ORIGIN_REFUSED
 */
export function requireOwnStream({ headers }: Pick<RouteContext, 'headers'>): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return;
  throw new FairleadError('ORIGIN_REFUSED', 'This stream was not opened by a page of the console');
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
