import type { Reply, RouteContext } from '../../../http/define-route.ts';
import type { IdentityDeps } from '../../deps.ts';
import { checkPassword } from '../../login/check-password.ts';
import { answerIn, type ChallengeForm } from '../login-challenge-fields.ts';
import { orShowForm } from '../show-error.ts';
import { requireOwnForm } from '../visit.ts';
import { completeLogin } from './complete-login.ts';
import { loginPage } from './login-page.ts';
import { readLoginTarget } from './login-target.ts';

/** POST /login. @throws CSRF_REFUSED */
export async function logInWithPassword(
  deps: IdentityDeps,
  context: RouteContext,
  form: ChallengeForm & {
    readonly csrf: string;
    readonly return_to: string;
    readonly email: string;
    readonly password: string;
  },
): Promise<Reply> {
  await requireOwnForm(deps, context, form.csrf);
  const target = await readLoginTarget(deps, form.return_to);
  return orShowForm(
    async () => {
      const { email, password } = form;
      const challenge = answerIn(form);
      const user = await checkPassword(deps, { email, password, address: context.address, challenge });
      return completeLogin(deps, context, { user, methods: ['pwd'], returnTo: target.returnTo });
    },
    (error) => loginPage(deps, context, target, { email: form.email, error }),
  );
}
