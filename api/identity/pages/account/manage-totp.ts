import { renderSVG } from 'uqr';
import { FairleadError } from '../../../../domain/errors.ts';
import { factorsSince, hasSecondFactor } from '../../../../domain/identity/second-factors.ts';
import type { TotpFactor, UserRecord } from '../../../../domain/identity/user.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { html, trustedMarkup } from '../../../http/pages/html.ts';
import { redirectTo, sendPage } from '../../../http/pages/send-page.ts';
import { audit } from '../../audit.ts';
import type { IdentityDeps } from '../../deps.ts';
import { createTotp, matchingStep, revealTotp } from '../../login/second-factor.ts';
import { platformBrand } from '../brand.ts';
import { field, hidden } from '../form-fields.ts';
import { type FormError, orShowForm } from '../show-error.ts';
import { noticeFactor } from './notice-factor.ts';
import { recoveryCodesPage } from './recovery-codes.ts';
import type { Account } from './require-account.ts';
import { type ProvenForm, withShownFactor } from './show-factor.ts';

/** POST /account/totp: makes a secret and shows it; it counts for nothing until a code was shown to work. */
export function setUpTotp(deps: IdentityDeps, context: RouteContext, form: ProvenForm): Promise<Reply> {
  return withShownFactor(deps, context, form, async (account) => {
    refuseSecond(account);
    const totp = createTotp(deps, account.user.id);
    if (!(await deps.users.setTotp(account.user.id, totp))) throw appExists();
    return setUpPage(deps, account, totp);
  });
}

/** POST /account/totp/confirm: switches it on by a first code. @throws CSRF_REFUSED, UNAUTHORIZED */
export function confirmTotp(
  deps: IdentityDeps,
  context: RouteContext,
  form: ProvenForm & { readonly code: string },
): Promise<Reply> {
  return withShownFactor(deps, context, form, async (account) => {
    const { user } = account;
    refuseSecond(account);
    const { totp } = user;
    if (totp === null) return redirectTo('/account');
    return orShowForm(
      async () => {
        const step = matchingStep(deps, user.id, totp, form.code.replace(/\s/g, ''));
        if (step === null) throw wrongCode();
        await noteChange(deps, context, account, 'user.totp_added');
        if (!(await confirm(deps, user, totp, step))) throw wrongCode();
        noticeFactor(deps, context, user, 'an authenticator app');
        return recoveryCodesPage(deps, context, account, 'The app is set up');
      },
      (error) => setUpPage(deps, account, totp, error),
    );
  });
}

/** POST /account/totp/remove. @throws CSRF_REFUSED, UNAUTHORIZED */
export function removeTotp(deps: IdentityDeps, context: RouteContext, form: ProvenForm): Promise<Reply> {
  return withShownFactor(deps, context, form, async (account) => {
    // Where there was no factor, none was shown: one that is added at this moment stays.
    if (!hasSecondFactor(account.user)) return redirectTo('/account');
    await noteChange(deps, context, account, 'user.totp_removed');
    await deps.users.setTotp(account.user.id, null);
    return redirectTo('/account?notice=totp-off');
  });
}

function confirm(deps: IdentityDeps, user: UserRecord, { secret }: TotpFactor, step: number): Promise<boolean> {
  const now = deps.now();
  return deps.users.confirmTotp(user.id, secret, step, now, factorsSince(user) ?? now);
}

/** One that is on is removed first: setting up another must not switch it off meanwhile. */
function refuseSecond({ user }: Account): void {
  if (user.totp !== null && user.totp.confirmedAt !== null) {
    throw appExists();
  }
}

function appExists(): FairleadError {
  return new FairleadError('CONFLICT', 'There is an app already; remove it first');
}

function wrongCode(): FairleadError {
  return new FairleadError('VALIDATION_FAILED', 'This code is wrong: is the time of your phone right?');
}

async function setUpPage(deps: IdentityDeps, account: Account, totp: TotpFactor, error?: FormError): Promise<Reply> {
  const { secret, uri } = revealTotp(deps, account.user, totp);
  const picture = trustedMarkup(renderSVG(uri, { ecc: 'L', border: 4, pixelSize: 4 }));
  return sendPage(
    {
      title: 'Set up an authenticator app',
      brand: platformBrand(deps),
      error: error?.message ?? null,
      body: html`<p>Scan this picture with the app, or type the key into it. Then type the code it shows.</p>
<div class="qr" role="img" aria-label="QR code of the key below">${picture}</div>
<p>Key: <code>${(secret.match(/.{1,4}/g) ?? []).join(' ')}</code></p>
<form method="post" action="/account/totp/confirm">${hidden('csrf', account.csrf)}${hidden('proof', account.proof ?? '')}
${field({
  name: 'code',
  label: 'Code',
  autocomplete: 'one-time-code',
  autofocus: true,
  code: true,
  maxlength: 10,
  invalid: error !== undefined,
})}
<button>Switch it on</button></form>
<p class="links"><a href="/account">Not now</a></p>`,
    },
    error === undefined ? {} : { status: error.status },
  );
}

/** Before the effect. */
async function noteChange(deps: IdentityDeps, context: RouteContext, { user }: Account, type: string): Promise<void> {
  await audit(deps, context, { type, actor: user.id, subject: user.id, orgSlug: user.primaryOrg });
}
