import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { redirectTo } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import type { LoggedIn } from '../../login/find-session.ts';
import { HOME, withReturnTo } from '../return-to.ts';
import { openVisit, requireOwnFormOfUser } from '../visit.ts';

/** Where somebody whose login is too old signs in once more. */
export const LOGIN_AGAIN = '/login?reauth=1&notice=again';

/** How long ago somebody may have signed in to change what they sign in with. */
const RECENT_MS = 15 * 60_000;

export type Account = LoggedIn & {
  readonly csrf: string;
  /** Shows, in forms that change ways of signing in, that the second factor was shown; see show-factor.ts. */
  readonly proof?: string;
};

/** Shows a page of the account to whoever is signed in; others sign in first. */
export async function withAccount(
  deps: IdentityDeps,
  context: RouteContext,
  show: (account: Account) => Promise<Reply>,
): Promise<Reply> {
  const { loggedIn, csrf } = await openVisit(deps, context);
  return loggedIn === null ? redirectTo(withReturnTo('/login', HOME)) : show({ ...loggedIn, csrf });
}

/** Handles a form of the account. @throws CSRF_REFUSED, UNAUTHORIZED */
export async function withAccountForm(
  deps: IdentityDeps,
  context: RouteContext,
  csrf: string,
  handle: (account: Account) => Promise<Reply>,
): Promise<Reply> {
  return handle(await requireOwnFormOfUser(deps, context, csrf));
}

/** The same for changes to ways of signing in: a browser left open is not enough for those, a recent login is. */
export async function withRecentLogin(
  deps: IdentityDeps,
  context: RouteContext,
  csrf: string,
  handle: (account: Account) => Promise<Reply>,
): Promise<Reply> {
  return withAccountForm(deps, context, csrf, async (account) =>
    isRecent(deps, account) ? handle(account) : redirectTo(LOGIN_AGAIN),
  );
}

export function isRecent(deps: Pick<IdentityDeps, 'now'>, { session }: LoggedIn): boolean {
  return deps.now().getTime() - session.authenticatedAt.getTime() < RECENT_MS;
}
