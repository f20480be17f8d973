import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import { sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { platformBrand } from '../brand.ts';
import { hidden } from '../form-fields.ts';
import { auditSection } from './audit-page.ts';
import { confirmSection } from './confirm-page.ts';
import { asksForMail } from './first-factor.ts';
import { loginsSection } from './logins-section.ts';
import { nextStepsSection } from './next-steps.ts';
import { passkeysSection } from './passkeys-section.ts';
import { passwordSection } from './password-section.ts';
import { type Account, isRecent, withAccount } from './require-account.ts';
import { totpSection } from './totp-section.ts';

/** What became of a form, by its name in the query. */
const NOTICES: Readonly<Record<string, string>> = {
  'confirm-sent': 'The link is on its way. It works once, within a day.',
  confirmed: 'Your address is confirmed.',
  password: 'Your password is changed. You are signed out everywhere else.',
  ended: 'It is signed out.',
  others: 'You are signed out everywhere else.',
  'totp-off': 'The authenticator app is removed.',
  'passkey-off': 'The passkey is removed.',
  shown: 'Now make your change.',
};

export interface AccountShown {
  readonly notice?: string | undefined;
  readonly error?: string;
  readonly status?: number;
  /** Of an error about the password form. */
  readonly passwordDetails?: unknown;
}

/** GET /account: who one is, ways of signing in, and where one is signed in. */
export async function openAccount(deps: IdentityDeps, context: RouteContext, shown: AccountShown): Promise<Reply> {
  return withAccount(deps, context, (account) => accountPage(deps, account, shown));
}

export async function accountPage(deps: IdentityDeps, account: Account, shown: AccountShown = {}): Promise<Reply> {
  const { user } = account;
  const name = `${user.firstName} ${user.lastName}`.trim();
  return sendPage(
    {
      title: 'Your account',
      brand: platformBrand(deps),
      wide: true,
      scripted: true,
      error: shown.error ?? null,
      notice: NOTICES[shown.notice ?? ''] ?? null,
      body: html`<p>${name !== '' && html`<strong>${name}</strong> · `}${user.email}</p>
${confirmSection(account)}
${await nextStepsSection(deps, account)}
${signOutForm(account)}
${!isRecent(deps, account) && html`<p class="quiet">To change how you sign in, you are asked to sign in once more.</p>`}
${passwordSection(account, shown.passwordDetails)}
${totpSection(account)}
${passkeysSection(account, asksForMail(deps, account))}
${await loginsSection(deps, account)}
${await auditSection(deps, account)}`,
    },
    shown.status === undefined ? {} : { status: shown.status },
  );
}

function signOutForm({ csrf }: Account): Html {
  return html`<form method="post" action="/oauth/logout/confirm">${hidden('csrf', csrf)}
<button class="second small">Sign out</button></form>`;
}
