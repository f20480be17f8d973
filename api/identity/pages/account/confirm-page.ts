import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import { redirectTo, sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { awaitsConfirmation, CONFIRM_PATH, confirmAddress, mailConfirmation } from '../../login/confirm-address.ts';
import { findLink, linkInvalid, readLink, takeLink } from '../../login/one-time-links.ts';
import { brandOf } from '../brand.ts';
import { hidden } from '../form-fields.ts';
import { withReturnTo } from '../return-to.ts';
import { openVisit } from '../visit.ts';
import { type Account, withAccountForm } from './require-account.ts';

const PURPOSE = 'email_verification';
const CONFIRMED = '/account?notice=confirmed';

/** On the account page of somebody whose address nobody has confirmed. */
export function confirmSection({ csrf, user }: Account): Html | false {
  return (
    awaitsConfirmation(user) &&
    html`<form method="post" action="/account/confirm/send">${hidden('csrf', csrf)}
<p class="quiet">Nobody has confirmed this address yet. We mail you a link that does.</p>
<button class="second small">Send the link</button></form>`
  );
}

/** POST /account/confirm/send: the same answer however often it is asked for. @throws CSRF_REFUSED, UNAUTHORIZED */
export function sendConfirmation(deps: IdentityDeps, context: RouteContext, form: { csrf: string }): Promise<Reply> {
  return withAccountForm(deps, context, form.csrf, async ({ user }) => {
    const org = user.primaryOrg === null ? null : await deps.orgs.find(user.primaryOrg);
    mailConfirmation(deps, user, org);
    return redirectTo('/account?notice=confirm-sent');
  });
}

/**
 * GET /account/confirm: shows a button to whoever is signed in as the person the link is for; everybody else signs in
 * first. Opening it takes nothing: programs that look at mail open its links. @throws LINK_INVALID
 */
export async function openConfirm(deps: IdentityDeps, context: RouteContext, token: string): Promise<Reply> {
  const { loggedIn, csrf, cookies } = await openVisit(deps, context);
  const found = await findLink(deps, token, PURPOSE);
  // Opened once more, or after signing in by a mailed link, which has shown the same.
  if (found === null && loggedIn?.user.emailVerified === true) return redirectTo(CONFIRMED);
  if (found === null) throw linkInvalid();
  const { link, user } = found;
  const here = `${CONFIRM_PATH}?token=${encodeURIComponent(token)}`;
  if (loggedIn === null) return redirectTo(withReturnTo('/login', here), cookies);
  const own = loggedIn.user.id === user.id;
  return sendPage(
    {
      title: 'Confirm your address',
      brand: await brandOf(deps, link.clientId),
      body: own
        ? html`<p>You confirm that <strong>${user.email}</strong> is your address.</p>
<form method="post" action="${CONFIRM_PATH}">${hidden('csrf', csrf)}${hidden('token', token)}
<button autofocus>Confirm</button></form>`
        : html`<p>You are signed in as ${loggedIn.user.email}, which is another address.</p>
<p><a class="button" href="${withReturnTo('/login?reauth=1', here)}">Sign in as ${user.email}</a></p>`,
    },
    { cookies },
  );
}

/** POST /account/confirm: takes the link, once. @throws CSRF_REFUSED, UNAUTHORIZED, LINK_INVALID */
export function confirmOwnAddress(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly token: string },
): Promise<Reply> {
  return withAccountForm(deps, context, form.csrf, async ({ user }) => {
    const read = await readLink(deps, form.token, PURPOSE);
    const take = async () => (await takeLink(deps, form.token, PURPOSE)).user;
    await confirmAddress(deps, context, user.id, { user: read.user, take });
    return redirectTo(CONFIRMED);
  });
}
