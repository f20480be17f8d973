import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import { redirectTo, sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { acceptInvite, type InvitedPerson, type OpenInvite, readInvite } from '../../login/accept-invite.ts';
import { awaitsConfirmation, mailConfirmation } from '../../login/confirm-address.ts';
import { INVITATION, isHalfOf } from '../../login/half-account.ts';
import { brandFrom } from '../brand.ts';
import { hidden } from '../form-fields.ts';
import { nameFields } from '../name-fields.ts';
import { newPasswordField } from '../new-password-field.ts';
import { HOME, withReturnTo } from '../return-to.ts';
import { type FormError, orShowForm } from '../show-error.ts';
import { openVisit, requireOwnForm, type Visit } from '../visit.ts';
import { completeLogin } from './complete-login.ts';

type Shown = Pick<InvitedPerson, 'firstName' | 'lastName'> & { readonly error?: FormError };

/**
 * GET /invites/accept: whoever is signed in with the invited address joins with a button; whoever has an account signs in
 * first; anybody else makes their account. Opening it takes nothing. @throws INVITE_INVALID
 */
export async function openInvite(
  deps: IdentityDeps,
  context: RouteContext,
  token: string,
  shown: Shown = { firstName: '', lastName: '' },
): Promise<Reply> {
  const opened = await readInvite(deps, token);
  const visit = await openVisit(deps, context);
  const { error } = shown;
  return sendPage(
    {
      title: `Join ${opened.org.name}`,
      brand: brandFrom(deps, [opened.org]),
      error: error?.message ?? null,
      body: html`<p><strong>${opened.org.name}</strong> invites <strong>${opened.invite.email}</strong> as
${opened.invite.role}.</p>
${await nextStep(deps, opened, visit, token, shown)}`,
    },
    { cookies: visit.cookies, ...(error === undefined ? {} : { status: error.status }) },
  );
}

/** POST /invites/accept; of many at once one is let in. @throws CSRF_REFUSED, INVITE_INVALID */
export async function takeInvite(
  deps: IdentityDeps,
  context: RouteContext,
  form: InvitedPerson & { readonly csrf: string; readonly token: string },
): Promise<Reply> {
  const { csrf, token, ...newUser } = form;
  const { loggedIn } = await requireOwnForm(deps, context, csrf);
  if (loggedIn !== null) {
    await acceptInvite(deps, context, { token, user: loggedIn.user });
    return redirectTo(HOME);
  }
  return orShowForm(
    async () => {
      const { user, org } = await acceptInvite(deps, context, { token, newUser });
      // An invitation that was passed on by hand says nothing about the mailbox.
      if (awaitsConfirmation(user)) mailConfirmation(deps, user, org);
      return completeLogin(deps, context, { user, methods: ['pwd'], returnTo: HOME });
    },
    (error) => openInvite(deps, context, token, { ...newUser, error }),
  );
}

async function nextStep(
  deps: IdentityDeps,
  { invite }: OpenInvite,
  { loggedIn, csrf }: Visit,
  token: string,
  shown: Shown,
): Promise<Html> {
  const common = html`${hidden('csrf', csrf)}${hidden('token', token)}`;
  if (loggedIn?.user.email === invite.email) {
    return html`<form method="post" action="/invites/accept">${common}<button>Join</button></form>`;
  }
  const login = withReturnTo('/login?reauth=1', `/invites/accept?token=${encodeURIComponent(token)}`);
  const known = await deps.users.findByEmail(invite.email);
  // The half of an account that this invitation made is gone on with.
  const exists = known !== null && !isHalfOf(known, { id: INVITATION, orgSlug: invite.orgSlug });
  if (loggedIn !== null || exists) {
    return html`${loggedIn !== null && html`<p>You are signed in as ${loggedIn.user.email}, which is another address.</p>`}
<p><a class="button" href="${login}">Sign in as ${invite.email}</a></p>`;
  }
  return html`<form method="post" action="/invites/accept">${common}
${nameFields(shown)}
${newPasswordField({ label: 'Password', invalid: shown.error?.code === 'PASSWORD_REFUSED' })}
<button>Create account and join</button></form>`;
}
