import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { readLink, takeLink } from '../../login/one-time-links.ts';
import { proveAddress } from '../../login/prove-address.ts';
import { brandOf } from '../brand.ts';
import { hidden } from '../form-fields.ts';
import { localReturnTo } from '../return-to.ts';
import { openVisit, requireOwnForm } from '../visit.ts';
import { completeLogin } from './complete-login.ts';
import { readLoginTarget } from './login-target.ts';

/**
 * GET /login/magic: shows a button. Programs that look at mail open its links; none of them presses buttons, so opening
 * the page takes nothing. @throws LINK_INVALID
 */
export async function openMagicLink(deps: IdentityDeps, context: RouteContext, token: string): Promise<Reply> {
  const { link, user } = await readLink(deps, token, 'magic_link');
  const { csrf, cookies } = await openVisit(deps, context);
  const { formTargets } = await readLoginTarget(deps, link.returnTo ?? undefined);
  return sendPage(
    {
      title: 'Sign in',
      brand: await brandOf(deps, link.clientId),
      formTargets,
      body: html`<p>You are signing in as <strong>${user.email}</strong>.</p>
<form method="post" action="/login/magic">${hidden('csrf', csrf)}${hidden('token', token)}
<button autofocus>Sign in</button></form>
<p class="quiet">You did not ask for this? Then close this page: nothing happens.</p>`,
    },
    { cookies },
  );
}

/** POST /login/magic: takes the link; of many at once one gets in. @throws CSRF_REFUSED, LINK_INVALID */
export async function takeMagicLink(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly token: string },
): Promise<Reply> {
  await requireOwnForm(deps, context, form.csrf);
  const { link, user } = await takeLink(deps, form.token, 'magic_link');
  const proven = await proveAddress(deps, context, user);
  return completeLogin(deps, context, { user: proven, methods: ['email'], returnTo: localReturnTo(link.returnTo) });
}
