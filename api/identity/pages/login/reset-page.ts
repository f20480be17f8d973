import type { OneTimeLink } from '../../../../domain/identity/one-time-link.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { redirectTo, sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { mayUseHandedLink } from '../../embed/trusted-client.ts';
import { linkInvalid, readLink, takeLink } from '../../login/one-time-links.ts';
import { proveAddress } from '../../login/prove-address.ts';
import { hashNewPassword, storePassword } from '../../login/set-password.ts';
import { brandOf } from '../brand.ts';
import { hidden } from '../form-fields.ts';
import { newPasswordField } from '../new-password-field.ts';
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
 * mailbox alone does not open an account that has one. A link that a client was handed sets the password and does nothing
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
      await storePassword(deps, context, proven, passwordHash);
      return redirectTo(withReturnTo('/login?notice=password', localReturnTo(link.returnTo)));
    },
    (error) => openReset(deps, context, form.token, error),
  );
}

/** @throws LINK_INVALID when the client that was handed the link manages the person no more */
async function requireManaged(deps: IdentityDeps, link: OneTimeLink, user: UserRecord): Promise<UserRecord> {
  if (!(await mayUseHandedLink(deps, link, user))) throw linkInvalid();
  return user;
}
