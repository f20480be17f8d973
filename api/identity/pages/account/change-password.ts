import { FairleadError } from '../../../../domain/errors.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { redirectTo } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { checkPassword } from '../../login/check-password.ts';
import { setPassword } from '../../login/set-password.ts';
import { answerIn, type ChallengeForm } from '../login-challenge-fields.ts';
import { orShowForm } from '../show-error.ts';
import { accountPage } from './account-page.ts';
import { isRecent, LOGIN_AGAIN, withAccountForm } from './require-account.ts';

/**
 * POST /account/password: asks for the current one, or, of somebody who has none, for a recent login. Everything else
 * that is signed in ends. @throws CSRF_REFUSED, UNAUTHORIZED
 */
export function changePassword(
  deps: IdentityDeps,
  context: RouteContext,
  form: ChallengeForm & { readonly csrf: string; readonly current: string; readonly password: string },
): Promise<Reply> {
  return withAccountForm(deps, context, form.csrf, (account) => {
    const { user, session } = account;
    return orShowForm(
      async () => {
        if (user.passwordHash === null) {
          if (!isRecent(deps, account)) return redirectTo(LOGIN_AGAIN);
        } else {
          await requireCurrent(deps, context, user.email, form);
        }
        await setPassword(deps, context, user, form.password, { keepSession: session.id });
        return redirectTo('/account?notice=password');
      },
      ({ message, status, details }) =>
        accountPage(deps, account, { error: message, status, passwordDetails: details }),
    );
  });
}

/** Counted like a login: a browser left open must not be a way to guess. @throws LOGIN_FAILED, LOGIN_LOCKED */
async function requireCurrent(
  deps: IdentityDeps,
  context: RouteContext,
  email: string,
  form: ChallengeForm & { readonly current: string },
): Promise<void> {
  try {
    const { address } = context;
    await checkPassword(deps, { email, password: form.current, address, challenge: answerIn(form) });
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'LOGIN_FAILED') throw error;
    throw new FairleadError('LOGIN_FAILED', 'The current password is wrong', { cause: error });
  }
}
