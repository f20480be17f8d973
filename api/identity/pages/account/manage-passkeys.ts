import { hasSecondFactor } from '../../../../domain/identity/second-factors.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { redirectTo } from '../../../http/pages/send-page.ts';
import { audit } from '../../audit.ts';
import type { IdentityDeps } from '../../deps.ts';
import { createChallenge } from '../../login/passkey-challenge.ts';
import { passkeyRegistrationOptions, registerPasskey } from '../../login/register-passkey.ts';
import { sendOptions } from '../login/passkey-login.ts';
import { orShowForm } from '../show-error.ts';
import { accountPage } from './account-page.ts';
import { browserName } from './browser-name.ts';
import { noticeFactor } from './notice-factor.ts';
import { recoveryCodesPage } from './recovery-codes.ts';
import { type Account, withRecentLogin } from './require-account.ts';
import { type ProvenForm, withShownFactor } from './show-factor.ts';

/** A challenge is for one session, so that nobody else's answer registers a passkey here. */
function purposeOf({ session }: Account): string {
  return `register/${session.id}`;
}

/** POST /account/passkeys/options. @throws CSRF_REFUSED, UNAUTHORIZED */
export function offerPasskey(deps: IdentityDeps, context: RouteContext, form: { csrf: string }): Promise<Reply> {
  return withRecentLogin(deps, context, form.csrf, async (account) => {
    const { challenge, cookie } = createChallenge(deps, purposeOf(account));
    return sendOptions(await passkeyRegistrationOptions(deps, account.user, challenge), cookie);
  });
}

/** POST /account/passkeys. With the first second factor come new recovery codes. @throws CSRF_REFUSED, UNAUTHORIZED */
export function addPasskey(
  deps: IdentityDeps,
  context: RouteContext,
  form: ProvenForm & { readonly credential: string; readonly name: string },
): Promise<Reply> {
  return withShownFactor(deps, context, form, (account) => {
    const { user } = account;
    const name = form.name === '' ? browserName(context.userAgent) : form.name;
    return orShowForm(
      async () => {
        const { credential } = form;
        const tell = (id: string) => noteChange(deps, context, account, 'user.passkey_added', id);
        await registerPasskey(deps, context, user, { purpose: purposeOf(account), credential, name, tell });
        noticeFactor(deps, context, user, 'a passkey');
        // Those of a factor that was removed may be known to whoever had added it.
        if (hasSecondFactor(user) && user.recoveryCodes.length > 0) return redirectTo('/account');
        return recoveryCodesPage(deps, context, account, 'The passkey is added');
      },
      ({ message, status }) => accountPage(deps, account, { error: message, status }),
    );
  });
}

/** POST /account/passkeys/remove. @throws CSRF_REFUSED, UNAUTHORIZED */
export function removePasskey(
  deps: IdentityDeps,
  context: RouteContext,
  form: ProvenForm & { readonly id: string },
): Promise<Reply> {
  return withShownFactor(deps, context, form, async (account) => {
    if (account.user.passkeys.some(({ credentialId }) => credentialId === form.id)) {
      await noteChange(deps, context, account, 'user.passkey_removed', form.id);
      await deps.users.removePasskey(account.user.id, form.id);
    }
    return redirectTo('/account?notice=passkey-off');
  });
}

/** Before the effect. */
async function noteChange(
  deps: IdentityDeps,
  context: RouteContext,
  { user }: Account,
  type: string,
  credentialId: string,
): Promise<void> {
  await audit(deps, context, {
    type,
    actor: user.id,
    subject: user.id,
    orgSlug: user.primaryOrg,
    data: { credentialId },
  });
}
