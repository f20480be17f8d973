import { FairleadError } from '../../../../domain/errors.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { redirectTo, sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { clearCookie } from '../../login/cookies.ts';
import { completeAttempt, countTry, type LoginAttempt, readAttempt } from '../../login/login-attempt.ts';
import { takePasskey } from '../../login/passkeys.ts';
import { takeSecondFactor } from '../../login/second-factor.ts';
import { hidden } from '../form-fields.ts';
import { withReturnTo } from '../return-to.ts';
import { type FormError, orShowForm } from '../show-error.ts';
import { openVisit, requireOwnForm } from '../visit.ts';
import { completeLogin } from './complete-login.ts';
import { type LoginTarget, readLoginTarget } from './login-target.ts';
import { secondFactorForms } from './second-factor-forms.ts';

/** A login that waits for its second factor, and whose it is. */
export interface WaitingLogin {
  readonly attempt: LoginAttempt;
  readonly user: UserRecord;
}

/**
 * The login this browser has half done; null when there is none, it took too long, its person is suspended, or their
 * password was changed since.
 */
export async function readWaitingLogin(deps: IdentityDeps, context: RouteContext): Promise<WaitingLogin | null> {
  const attempt = readAttempt(deps, context);
  const user = attempt === null ? null : await deps.users.find(attempt.userId);
  if (attempt === null || user === null || user.suspendedAt !== null) return null;
  return user.passwordVersion === attempt.passwordVersion ? { attempt, user } : null;
}

/** The purpose of a passkey challenge that completes this attempt and no other. */
export function secondFactorPurpose({ attempt }: WaitingLogin): string {
  return `second-factor/${attempt.id}`;
}

/** GET /login/second-factor; without a login that waits for it, the way begins at the login page. */
export async function openSecondFactor(
  deps: IdentityDeps,
  context: RouteContext,
  returnTo: string | undefined,
  error?: FormError,
): Promise<Reply> {
  const target = await readLoginTarget(deps, returnTo);
  const waiting = await readWaitingLogin(deps, context);
  if (waiting === null) return redirectTo(withReturnTo('/login', target.returnTo));
  const { csrf, cookies } = await openVisit(deps, context);
  const { brand, formTargets } = target;
  const common = html`${hidden('csrf', csrf)}${hidden('return_to', target.returnTo)}`;
  return sendPage(
    {
      title: 'One more step',
      brand,
      formTargets,
      scripted: true,
      error: error?.message ?? null,
      body: html`<p>You are signing in as <strong>${waiting.user.email}</strong>.</p>
${secondFactorForms(waiting.user, { base: '/login/second-factor', common, invalid: error !== undefined })}
<p class="links"><a href="${withReturnTo('/login', target.returnTo)}">Use another account</a></p>`,
    },
    { cookies, ...(error === undefined ? {} : { status: error.status }) },
  );
}

/** POST /login/second-factor with a code. @throws CSRF_REFUSED */
export async function logInWithCode(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly return_to: string; readonly code: string },
): Promise<Reply> {
  return complete(deps, context, form, async ({ attempt, user }) => {
    await takeSecondFactor(deps, context, user, form.code);
    return [...new Set([...attempt.methods, 'otp' as const, 'mfa' as const])];
  });
}

/** POST /login/second-factor/passkey. @throws CSRF_REFUSED */
export async function logInWithSecondPasskey(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly return_to: string; readonly credential: string },
): Promise<Reply> {
  return complete(deps, context, form, async (waiting) => {
    await takePasskey(deps, context, secondFactorPurpose(waiting), form.credential, waiting.user);
    return [...new Set([...waiting.attempt.methods, 'swk' as const, 'mfa' as const])];
  });
}

async function complete(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly return_to: string },
  take: (waiting: WaitingLogin) => Promise<LoginAttempt['methods']>,
): Promise<Reply> {
  await requireOwnForm(deps, context, form.csrf);
  const target: LoginTarget = await readLoginTarget(deps, form.return_to);
  const waiting = await readWaitingLogin(deps, context);
  if (waiting === null) return redirectTo(withReturnTo('/login', target.returnTo));
  return orShowForm(
    async () => {
      await countTry(deps, waiting.attempt);
      const methods = await take(waiting);
      if (!(await completeAttempt(deps, waiting.attempt))) {
        throw new FairleadError('LOGIN_FAILED', 'This login was completed before; sign in again');
      }
      return completeLogin(deps, context, { user: waiting.user, methods, returnTo: target.returnTo });
    },
    async (error) =>
      error.code === 'LOGIN_LOCKED'
        ? attemptEnded(deps, target, error)
        : openSecondFactor(deps, context, target.returnTo, error),
  );
}

/** Nothing can be tried any more: the password has to be shown again. */
function attemptEnded(deps: IdentityDeps, { brand, returnTo }: LoginTarget, error: FormError): Reply {
  return sendPage(
    {
      title: 'Too many wrong codes',
      brand,
      error: error.message,
      body: html`<p><a class="button" href="${withReturnTo('/login', returnTo)}">Sign in again</a></p>`,
    },
    { status: error.status, cookies: [clearCookie(deps.settings, 'login')] },
  );
}
