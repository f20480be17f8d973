import type { OneTimeLink } from '../../../../domain/identity/one-time-link.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import type { IdentityDeps } from '../../deps.ts';
import { type LinkOfUser, readLink, takeLink } from '../../login/one-time-links.ts';
import { isRegisteredRedirectUri } from '../authorize/match-redirect-uri.ts';
import { brandOf } from '../brand.ts';
import { hidden } from '../form-fields.ts';
import { html } from '../html.ts';
import { formTargetOf } from '../page-headers.ts';
import { sendPage } from '../send-page.ts';
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
  const { formTargets } = await destinationOf(deps, link);
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
  const { link, user }: LinkOfUser = await takeLink(deps, form.token, 'magic_link');
  // Whoever has the link reads the mail of that address.
  const verified = user.emailVerified ? user : await deps.users.update(user.id, { emailVerified: true });
  const { returnTo } = await destinationOf(deps, link);
  return completeLogin(deps, context, { user: verified ?? user, methods: ['email'], returnTo });
}

/** Where the link leads: one of our pages, or an address that its client has registered. */
async function destinationOf(
  deps: IdentityDeps,
  { clientId, returnTo }: OneTimeLink,
): Promise<{ returnTo: string; formTargets: readonly string[] }> {
  const client = clientId === null ? null : await deps.clients.find(clientId);
  if (client !== null && returnTo !== null && isRegisteredRedirectUri(client, returnTo)) {
    return { returnTo, formTargets: [formTargetOf(returnTo)] };
  }
  return readLoginTarget(deps, returnTo ?? undefined);
}
