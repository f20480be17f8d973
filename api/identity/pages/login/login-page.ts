import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import { redirectTo, sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { field, hidden } from '../form-fields.ts';
import { challengeParts } from '../login-challenge-fields.ts';
import { withReturnTo } from '../return-to.ts';
import type { FormError } from '../show-error.ts';
import { openVisit } from '../visit.ts';
import { type LoginTarget, loginHintOf, readLoginTarget } from './login-target.ts';

/** What became of something that led here, by its name in the query: nothing else from there is shown. */
const NOTICES: Readonly<Record<string, string>> = {
  password: 'Your password is changed. Sign in with the new one.',
  again: 'To change how you sign in, sign in once more.',
};

/** GET /login. Somebody who is signed in goes on, unless they have to prove it anew (`reauth`). */
export async function openLogin(
  deps: IdentityDeps,
  context: RouteContext,
  query: {
    readonly return_to?: string | undefined;
    readonly reauth?: string | undefined;
    readonly notice?: string | undefined;
  },
): Promise<Reply> {
  const target = await readLoginTarget(deps, query.return_to);
  const visit = await openVisit(deps, context);
  if (visit.loggedIn !== null && query.reauth === undefined) return redirectTo(target.returnTo);
  const notice = NOTICES[query.notice ?? ''] ?? null;
  const email = visit.loggedIn?.user.email ?? loginHintOf(target);
  return loginPage(deps, context, target, { email, notice });
}

/** The login form, with what was wrong about the last try. */
export async function loginPage(
  deps: IdentityDeps,
  context: RouteContext,
  target: LoginTarget,
  shown: { readonly email: string; readonly error?: FormError; readonly notice?: string | null },
): Promise<Reply> {
  const { csrf, cookies } = await openVisit(deps, context);
  const { brand, client, formTargets, returnTo } = target;
  const { email, error } = shown;
  const challenge = challengeParts(error);
  const common = html`${hidden('csrf', csrf)}${hidden('return_to', returnTo)}`;
  const body = html`${client !== null && html`<p>to continue to <strong>${client.name}</strong></p>`}
<form method="post" action="/login"${challenge.attributes}>${common}${challenge.fields}
${field({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  value: email,
  autocomplete: 'username',
  autofocus: email === '',
  invalid: error !== undefined,
})}
${field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
  autofocus: email !== '',
  invalid: error !== undefined,
})}
<button>Sign in</button>
<p class="or">or</p>
<button class="second" formaction="/login/link" formnovalidate>E-mail me a sign-in link</button>
</form>
${passkeyForm(common)}
<p class="links"><a href="${withReturnTo('/login/forgot', returnTo)}">Forgot your password?</a></p>`;
  return sendPage(
    {
      title: 'Sign in',
      brand,
      formTargets,
      scripted: true,
      body,
      error: error?.message ?? null,
      notice: shown.notice ?? null,
    },
    { cookies, ...(error === undefined ? {} : { status: error.status }) },
  );
}

/** Shown by the script where the browser knows passkeys. */
function passkeyForm(common: Html): Html {
  return html`<form method="post" action="/login/passkey" data-passkey="get" data-options="/login/passkey/options" hidden>
${common}${hidden('credential', '')}
<button class="second">Sign in with a passkey</button>
<p class="message error" role="alert" data-message hidden></p>
</form>`;
}
