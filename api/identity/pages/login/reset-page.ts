import type { OneTimeLink } from '../../../../domain/identity/one-time-link.ts';
import { factorsSince, outliveReset } from '../../../../domain/identity/second-factors.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import { redirectTo, sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { mayUseHandedLink } from '../../embed/trusted-client.ts';
import { linkInvalid, readLink, takeLink } from '../../login/one-time-links.ts';
import { proveAddress } from '../../login/prove-address.ts';
import { hashNewPassword, storePassword } from '../../login/set-password.ts';
import { brandOf } from '../brand.ts';
import { hidden } from '../form-fields.ts';
import { newPasswordField } from '../new-password-field.ts';
import { readableTime } from '../readable-time.ts';
import { localReturnTo, withReturnTo } from '../return-to.ts';
import { type FormError, orShowForm } from '../show-error.ts';
import { openVisit, requireOwnForm } from '../visit.ts';

/** GET /login/reset: asks for the new password; opening it takes nothing. @throws LINK_INVALID */
export async function openReset(
  deps: IdentityDeps,
  context: RouteContext,
  token: string,
  error?: FormError,
): Promise<Reply> {
  const { link, user } = await readLink(deps, token, 'password_reset');
  const { csrf, cookies } = await openVisit(deps, context);
  return sendPage(
    {
      title: 'Choose a new password',
      brand: await brandOf(deps, link.clientId),
      error: error?.message ?? null,
      body: html`<p>For <strong>${user.email}</strong>. You are signed out everywhere else.</p>
${!link.handed && factorsNote(deps, user)}
<form method="post" action="/login/reset">${hidden('csrf', csrf)}${hidden('token', token)}
${hidden('email', user.email)}
${newPasswordField({ label: 'New password', invalid: error !== undefined, autofocus: true })}
<button>Set the password</button></form>`,
    },
    { cookies, ...(error === undefined ? {} : { status: error.status }) },
  );
}

/**
 * POST /login/reset: sets the password, once, and leads to the login: a second factor is asked for there, so that a
 * mailbox alone does not open an account that has one. Second factors that are on trial are removed with the old password:
 * who knew that may have added them (domain/identity/second-factors.ts). A link that a client was handed sets the password and does nothing
 * else: whoever brings it may be the client. @throws CSRF_REFUSED, LINK_INVALID
 */
export async function resetPassword(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly token: string; readonly password: string },
): Promise<Reply> {
  await requireOwnForm(deps, context, form.csrf);
  return orShowForm(
    async () => {
      const { user } = await readLink(deps, form.token, 'password_reset');
      // What is wrong with the password is found before the link is taken.
      const passwordHash = await hashNewPassword(deps, form.password, user.email);
      const { link, user: owner } = await takeLink(deps, form.token, 'password_reset');
      // First, so that what it voids is not the new password.
      const proven = link.handed ? await requireManaged(deps, link, owner) : await proveAddress(deps, context, owner);
      const withoutFactors = !link.handed && !outliveReset(owner, deps.now());
      await storePassword(deps, context, proven, passwordHash, { withoutFactors });
      return redirectTo(withReturnTo('/login?notice=password', localReturnTo(link.returnTo)));
    },
    (error) => openReset(deps, context, form.token, error),
  );
}

/** Names the second factors, so that somebody sees one that is not theirs, and says what becomes of them. */
function factorsNote(deps: IdentityDeps, user: UserRecord): Html | false {
  const since = factorsSince(user);
  if (since === null) return false;
  const names = [...(user.totp?.since == null ? [] : ['authenticator app']), ...user.passkeys.map(({ name }) => name)];
  const list = new Intl.ListFormat('en-GB').format(names);
  if (outliveReset(user, deps.now())) {
    return html`<p class="quiet">Your second factor stays: ${list}. If one of these is not yours, ask an admin to reset it.</p>`;
  }
  return html`<p class="quiet">Your second factor is removed as well: ${list}. It is there only since ${readableTime(since)},
so it may be of somebody who knew your password. Add yours again afterwards.</p>`;
}

/** @throws LINK_INVALID when the client that was handed the link manages the person no more */
async function requireManaged(deps: IdentityDeps, link: OneTimeLink, user: UserRecord): Promise<UserRecord> {
  if (!(await mayUseHandedLink(deps, link, user))) throw linkInvalid();
  return user;
}
