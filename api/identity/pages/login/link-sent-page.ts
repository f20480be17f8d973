import { LINK_MINUTES } from '../../../../domain/identity/one-time-link.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { field, hidden } from '../form-fields.ts';
import { withReturnTo } from '../return-to.ts';
import { openVisit, requireOwnForm } from '../visit.ts';
import { readLoginTarget } from './login-target.ts';
import { requestLink } from './request-link.ts';

interface LinkForm {
  readonly csrf: string;
  readonly return_to: string;
  readonly email: string;
}

/** POST /login/link: mails a link to sign in with. @throws CSRF_REFUSED */
export async function sendMagicLink(deps: IdentityDeps, context: RouteContext, form: LinkForm): Promise<Reply> {
  return sendLink(deps, context, form, 'magic_link');
}

/** POST /login/forgot: mails a link to choose a new password with. @throws CSRF_REFUSED */
export async function sendResetLink(deps: IdentityDeps, context: RouteContext, form: LinkForm): Promise<Reply> {
  return sendLink(deps, context, form, 'password_reset');
}

/** GET /login/forgot, and both forms when their address was left empty. */
export async function askForAddress(
  deps: IdentityDeps,
  context: RouteContext,
  purpose: 'magic_link' | 'password_reset',
  shown: { readonly returnTo: string | undefined; readonly error?: string },
): Promise<Reply> {
  const { brand, returnTo } = await readLoginTarget(deps, shown.returnTo);
  const { csrf, cookies } = await openVisit(deps, context);
  const reset = purpose === 'password_reset';
  return sendPage(
    {
      title: reset ? 'Forgot your password?' : 'Sign in by e-mail',
      brand,
      error: shown.error ?? null,
      body: html`<p>We send you a link ${reset ? 'to choose a new one' : 'that signs you in'}.</p>
<form method="post" action="${reset ? '/login/forgot' : '/login/link'}">
${hidden('csrf', csrf)}${hidden('return_to', returnTo)}
${field({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  autocomplete: 'username',
  autofocus: true,
  invalid: shown.error !== undefined,
})}
<button>Send the link</button>
</form>
<p class="links"><a href="${withReturnTo('/login', returnTo)}">Back to sign in</a></p>`,
    },
    { cookies, ...(shown.error === undefined ? {} : { status: 400 }) },
  );
}

async function sendLink(
  deps: IdentityDeps,
  context: RouteContext,
  form: LinkForm,
  purpose: 'magic_link' | 'password_reset',
): Promise<Reply> {
  await requireOwnForm(deps, context, form.csrf);
  const target = await readLoginTarget(deps, form.return_to);
  const email = form.email.trim();
  if (!email.includes('@')) {
    return askForAddress(deps, context, purpose, { returnTo: target.returnTo, error: 'Enter your e-mail address.' });
  }
  requestLink(deps, { purpose, email, client: target.client, returnTo: target.returnTo });
  return sendPage({
    title: 'Check your e-mail',
    brand: target.brand,
    body: html`<p>If there is an account of <strong>${email}</strong>, a link is on its way to it. It works once, within
${LINK_MINUTES[purpose]} minutes.</p>
<p class="quiet">Nothing there? Look among the spam, or check the address and try again.</p>
<p class="links"><a href="${withReturnTo('/login', target.returnTo)}">Back to sign in</a></p>`,
  });
}
