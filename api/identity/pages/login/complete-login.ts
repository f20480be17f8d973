import { hasSecondFactor } from '../../../../domain/identity/second-factors.ts';
import type { LoginMethod, UserRecord } from '../../../../domain/identity/user.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { redirectTo } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { clearCookie } from '../../login/cookies.ts';
import { startAttempt } from '../../login/login-attempt.ts';
import { startSession } from '../../login/start-session.ts';
import { withReturnTo } from '../return-to.ts';

/** Goes on after somebody has shown who they are: to their second factor, when they have one, or into a session. */
export async function completeLogin(
  deps: IdentityDeps,
  context: RouteContext,
  login: { readonly user: UserRecord; readonly methods: readonly LoginMethod[]; readonly returnTo: string },
): Promise<Reply> {
  const { user, methods, returnTo } = login;
  if (hasSecondFactor(user) && !methods.includes('mfa')) {
    return redirectTo(withReturnTo('/login/second-factor', returnTo), [startAttempt(deps, user, methods)]);
  }
  const { cookies } = await startSession(deps, context, user, methods);
  const spent = (['visit', 'login', 'challenge'] as const).map((name) => clearCookie(deps.settings, name));
  return redirectTo(returnTo, [...cookies, ...spent]);
}
