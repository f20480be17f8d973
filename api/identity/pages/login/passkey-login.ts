import { FairleadError } from '../../../../domain/errors.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { sendData } from '../../../http/envelope.ts';
import type { IdentityDeps } from '../../deps.ts';
import { createChallenge } from '../../login/passkey-challenge.ts';
import { passkeyLoginOptions, takePasskey } from '../../login/passkeys.ts';
import { orShowForm } from '../show-error.ts';
import { requireOwnForm } from '../visit.ts';
import { completeLogin } from './complete-login.ts';
import { loginPage } from './login-page.ts';
import { readLoginTarget } from './login-target.ts';
import { readWaitingLogin, secondFactorPurpose } from './second-factor-page.ts';

const LOGIN_PURPOSE = 'login';

/** POST /login/passkey/options: a challenge for whichever passkey the person picks. @throws CSRF_REFUSED */
export async function offerPasskeyLogin(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string },
): Promise<Reply> {
  await requireOwnForm(deps, context, form.csrf);
  const { challenge, cookie } = createChallenge(deps, LOGIN_PURPOSE);
  return sendOptions(await passkeyLoginOptions(deps, null, challenge), cookie);
}

/** POST /login/second-factor/passkey/options: for the passkeys of whoever is half signed in. @throws CSRF_REFUSED, UNAUTHORIZED */
export async function offerSecondPasskey(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string },
): Promise<Reply> {
  await requireOwnForm(deps, context, form.csrf);
  const waiting = await readWaitingLogin(deps, context);
  if (waiting === null) throw new FairleadError('UNAUTHORIZED', 'The login took too long: begin again');
  const { challenge, cookie } = createChallenge(deps, secondFactorPurpose(waiting));
  return sendOptions(await passkeyLoginOptions(deps, waiting.user, challenge), cookie);
}

/** POST /login/passkey: a verified passkey is two factors, so it is the whole login. @throws CSRF_REFUSED */
export async function logInWithPasskey(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly return_to: string; readonly credential: string },
): Promise<Reply> {
  await requireOwnForm(deps, context, form.csrf);
  const target = await readLoginTarget(deps, form.return_to);
  return orShowForm(
    async () => {
      const user = await takePasskey(deps, context, LOGIN_PURPOSE, form.credential, null);
      return completeLogin(deps, context, { user, methods: ['swk', 'mfa'], returnTo: target.returnTo });
    },
    (error) => loginPage(deps, context, target, { email: '', error }),
  );
}

/** Options for the pages' script, with the cookie that holds their challenge. */
export function sendOptions(options: object, cookie: string): Reply {
  return async (response) => {
    response.append('Set-Cookie', cookie);
    sendData(response, 200, options);
  };
}
