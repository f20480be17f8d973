import { isPersonaAddress } from '../../../../domain/identity/email-address.ts';
import { LINK_MINUTES } from '../../../../domain/identity/one-time-link.ts';
import { hasSecondFactor } from '../../../../domain/identity/second-factors.ts';
import type { Reply } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { awaitsConfirmation } from '../../login/confirm-address.ts';
import { platformBrand } from '../brand.ts';
import { hidden } from '../form-fields.ts';
import { HOME } from '../return-to.ts';
import { confirmSection } from './confirm-page.ts';
import { type Account, isRecent } from './require-account.ts';

/**
 * Whether somebody signs in by a mailed link before they add their first second factor. There is no factor to show, and
 * who merely knows the password would shut its owner out, and pass for them in orgs that ask for a second factor. Not
 * where mail is captured instead of sent: there only super admins read it.
 */
export function asksForMail(deps: Pick<IdentityDeps, 'mail' | 'now'>, { user, session }: Account): boolean {
  const isSent = deps.mail.outbox === null && !isPersonaAddress(user.email);
  const byMail = session.methods.includes('email') && isRecent(deps, { user, session });
  return isSent && !hasSecondFactor(user) && !byMail;
}

/** Sends the link by which they sign in. Who has not confirmed their address does that first: a link voids what was set before. */
export function askForMailPage(deps: Pick<IdentityDeps, 'settings'>, account: Account): Reply {
  const { user, csrf } = account;
  const reason = html`<p>Your second factor will be asked for whenever you sign in. So that nobody else adds one who merely
knows your password, show first that you read the mail of <strong>${user.email}</strong>.</p>`;
  const signIn = html`<form method="post" action="/login/link">${hidden('csrf', csrf)}${hidden('return_to', HOME)}
${hidden('email', user.email)}<p>We mail you a link. Sign in by it, then come back to this change within a quarter of an
hour. The link works for ${LINK_MINUTES.magic_link} minutes.</p><button autofocus>Send the link</button></form>`;
  return sendPage({
    title: 'Show that it is you',
    brand: platformBrand(deps),
    body: html`${reason}${awaitsConfirmation(user) ? confirmSection(account) : signIn}
<p class="links"><a href="/account">Not now</a></p>`,
  });
}
