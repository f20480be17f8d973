import { z } from 'zod';
import { hasSecondFactor } from '../../../../domain/identity/second-factors.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { redirectTo, sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { createChallenge } from '../../login/passkey-challenge.ts';
import { passkeyLoginOptions, takePasskey } from '../../login/passkeys.ts';
import { takeSecondFactor } from '../../login/second-factor.ts';
import { readState, signState } from '../../login/signed-state.ts';
import { platformBrand } from '../brand.ts';
import { hidden } from '../form-fields.ts';
import { sendOptions } from '../login/passkey-login.ts';
import { secondFactorForms } from '../login/second-factor-forms.ts';
import { type FormError, orShowForm } from '../show-error.ts';
import { accountPage } from './account-page.ts';
import { askForMailPage, asksForMail } from './first-factor.ts';
import {
  type Account,
  isRecent,
  LOGIN_AGAIN,
  withAccount,
  withAccountForm,
  withRecentLogin,
} from './require-account.ts';

/** Where somebody shows their second factor before they change what they sign in with. */
export const SHOW_FACTOR_PATH = '/account/second-factor';

const PURPOSE = 'factor-shown';
const TTL_SECONDS = 600;
const schema = z.object({ sessionId: z.string(), passwordVersion: z.int() });

/** Fields of a form that changes a way of signing in. */
export interface ProvenForm {
  readonly csrf: string;
  /** Of the page that followed the second factor; empty for none. */
  readonly proof: string;
}

/**
 * For changes to ways of signing in. A session is not enough, however young: a thief may have it. Whoever has a second
 * factor shows it, and the page that follows carries the proof in its forms, where no cookie brings it along. Without one,
 * a recent login by a mailed link has to do; see first-factor.ts. @throws CSRF_REFUSED, UNAUTHORIZED
 */
export function withShownFactor(
  deps: IdentityDeps,
  context: RouteContext,
  form: ProvenForm,
  handle: (account: Account) => Promise<Reply>,
): Promise<Reply> {
  return withAccountForm(deps, context, form.csrf, async (account) => {
    if (asksForMail(deps, account)) return redirectTo(SHOW_FACTOR_PATH);
    if (!isRecent(deps, account)) return redirectTo(LOGIN_AGAIN);
    if (hasSecondFactor(account.user) && !isProof(deps, account, form.proof)) return redirectTo(SHOW_FACTOR_PATH);
    return handle({ ...account, proof: form.proof });
  });
}

/** GET /account/second-factor. Of somebody who has none, a mailed link takes its place. */
export function openShowFactor(deps: IdentityDeps, context: RouteContext): Promise<Reply> {
  return withAccount(deps, context, async (account) => {
    if (asksForMail(deps, account)) return askForMailPage(deps, account);
    return hasSecondFactor(account.user) ? showFactorPage(deps, account) : redirectTo('/account');
  });
}

/** POST /account/second-factor: a code of the app, or a recovery code. @throws CSRF_REFUSED, UNAUTHORIZED */
export function showFactorByCode(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly code: string },
): Promise<Reply> {
  return show(deps, context, form.csrf, async ({ user }) => {
    await takeSecondFactor(deps, context, user, form.code);
  });
}

/** POST /account/second-factor/passkey. @throws CSRF_REFUSED, UNAUTHORIZED */
export function showFactorByPasskey(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly credential: string },
): Promise<Reply> {
  return show(deps, context, form.csrf, async (account) => {
    await takePasskey(deps, context, challengePurpose(account), form.credential, account.user);
  });
}

/** POST /account/second-factor/passkey/options. @throws CSRF_REFUSED, UNAUTHORIZED */
export function offerShownPasskey(deps: IdentityDeps, context: RouteContext, form: { csrf: string }): Promise<Reply> {
  return withRecentLogin(deps, context, form.csrf, async (account) => {
    const { challenge, cookie } = createChallenge(deps, challengePurpose(account));
    return sendOptions(await passkeyLoginOptions(deps, account.user, challenge), cookie);
  });
}

function show(
  deps: IdentityDeps,
  context: RouteContext,
  csrf: string,
  take: (account: Account) => Promise<void>,
): Promise<Reply> {
  return withRecentLogin(deps, context, csrf, (account) =>
    orShowForm(
      async () => {
        await take(account);
        return accountPage(deps, { ...account, proof: makeProof(deps, account) }, { notice: 'shown' });
      },
      async (error) => showFactorPage(deps, account, error),
    ),
  );
}

function makeProof(deps: IdentityDeps, { session, user }: Account): string {
  const data = { sessionId: session.id, passwordVersion: user.passwordVersion };
  return signState(deps, PURPOSE, data, TTL_SECONDS);
}

function isProof(deps: IdentityDeps, { session, user }: Account, text: string): boolean {
  const proof = readState(deps, PURPOSE, schema, text);
  return proof?.sessionId === session.id && proof.passwordVersion === user.passwordVersion;
}

/** A passkey that is shown for this serves nothing else, and nobody else's session. */
function challengePurpose({ session }: Account): string {
  return `show-factor/${session.id}`;
}

function showFactorPage(deps: IdentityDeps, { user, csrf }: Account, error?: FormError): Reply {
  return sendPage(
    {
      title: 'Show your second factor',
      brand: platformBrand(deps),
      scripted: true,
      error: error?.message ?? null,
      body: html`<p>You are about to change how you sign in.</p>
${secondFactorForms(user, { base: SHOW_FACTOR_PATH, common: hidden('csrf', csrf), invalid: error !== undefined })}
<p class="links"><a href="/account">Not now</a></p>`,
    },
    error === undefined ? {} : { status: error.status },
  );
}
