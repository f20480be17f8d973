import { FairleadError } from '../../../domain/errors.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { readCookie, writeCookie } from '../login/cookies.ts';
import { type FindSessionDeps as Deps, findSession, type LoggedIn } from '../login/find-session.ts';

/** Somebody in front of a page: who they are, if they are signed in, and the token their forms must carry. */
export interface Visit {
  readonly loggedIn: LoggedIn | null;
  readonly csrf: string;
  /** `Set-Cookie` values that must go out with the page. */
  readonly cookies: readonly string[];
}

const VISIT_SECONDS = 86_400;

/**
 * Opens a page for whoever asks. The token of its forms is a MAC of the session, or, before there is one, of a random
 * cookie: another site can make the browser send the cookie and cannot know the token (OWASP: signed double submit).
 */
export async function openVisit(deps: Deps, context: RouteContext): Promise<Visit> {
  const loggedIn = await findSession(deps, context.cookies);
  if (loggedIn !== null) return { loggedIn, csrf: sessionToken(deps, loggedIn), cookies: [] };
  const known = readCookie(deps.settings, 'visit', context.cookies);
  const visit = known ?? deps.tokens.create('');
  const cookies = known === null ? [writeCookie(deps.settings, 'visit', visit, VISIT_SECONDS)] : [];
  return { loggedIn, csrf: visitToken(deps, visit), cookies };
}

/**
 * Lets a submitted form in only if it came from one of our own pages in this browser: by its token, and by what the
 * browser says about where the request began. Within a session the token must be the session's.
 * @throws CSRF_REFUSED
 */
export async function requireOwnForm(deps: Deps, context: RouteContext, csrf: string): Promise<Visit> {
  const loggedIn = await findSession(deps, context.cookies);
  const expected = loggedIn === null ? visitTokenOf(deps, context) : sessionToken(deps, loggedIn);
  const known = expected !== null && deps.tokens.equals(csrf, expected);
  if (!known || !isSameOrigin(deps, context)) {
    throw new FairleadError('CSRF_REFUSED', 'Go back, load the page again, and send the form once more');
  }
  return { loggedIn, csrf, cookies: [] };
}

/** The same for forms of somebody who is signed in. @throws CSRF_REFUSED, UNAUTHORIZED */
export async function requireOwnFormOfUser(
  deps: Deps,
  context: RouteContext,
  csrf: string,
): Promise<LoggedIn & { readonly csrf: string }> {
  const { loggedIn } = await requireOwnForm(deps, context, csrf);
  if (loggedIn === null) throw new FairleadError('UNAUTHORIZED', 'You are not signed in any more');
  return { ...loggedIn, csrf };
}

/**
 * `Sec-Fetch-Site` cannot be set by a page, so it decides where there is one. `Origin` is `null` on our own forms
 * because our pages send no referrer (Fetch, 3.2); a browser that says nothing else has its token alone to show.
 */
function isSameOrigin(deps: Pick<IdentityDeps, 'settings'>, { headers, origin }: RouteContext): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  return origin === null || origin === 'null' || origin === new URL(deps.settings.issuer).origin;
}

function visitTokenOf(deps: Deps, context: RouteContext): string | null {
  const visit = readCookie(deps.settings, 'visit', context.cookies);
  return visit === null ? null : visitToken(deps, visit);
}

function sessionToken(deps: Pick<IdentityDeps, 'tokens'>, { session }: LoggedIn): string {
  return deps.tokens.mac('form-of-session', session.id);
}

function visitToken(deps: Pick<IdentityDeps, 'tokens'>, visit: string): string {
  return deps.tokens.mac('form-of-visit', visit);
}
