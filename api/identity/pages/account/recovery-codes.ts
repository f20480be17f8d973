import { FairleadError } from '../../../../domain/errors.ts';
import { hasSecondFactor } from '../../../../domain/identity/second-factors.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { sendPage } from '../../../http/pages/send-page.ts';
import { audit } from '../../audit.ts';
import type { IdentityDeps } from '../../deps.ts';
import { createRecoveryCodes } from '../../login/second-factor.ts';
import { platformBrand } from '../brand.ts';
import type { Account } from './require-account.ts';
import { type ProvenForm, withShownFactor } from './show-factor.ts';

/** POST /account/recovery-codes: new ones in the place of all there are. @throws CSRF_REFUSED, UNAUTHORIZED, CONFLICT */
export function renewRecoveryCodes(deps: IdentityDeps, context: RouteContext, form: ProvenForm): Promise<Reply> {
  return withShownFactor(deps, context, form, (account) => {
    if (!hasSecondFactor(account.user)) throw new FairleadError('CONFLICT', 'Add an app or a passkey first');
    return recoveryCodesPage(deps, context, account, 'New recovery codes');
  });
}

/** Makes codes and shows them, this once. */
export async function recoveryCodesPage(
  deps: IdentityDeps,
  context: RouteContext,
  { user }: Account,
  title: string,
): Promise<Reply> {
  const { codes, hashes } = createRecoveryCodes(deps);
  // Before they are made: codes that are shown to nobody would take the place of those their owner has.
  await audit(deps, context, {
    type: 'user.recovery_codes_made',
    actor: user.id,
    subject: user.id,
    orgSlug: user.primaryOrg,
  });
  await deps.users.update(user.id, { recoveryCodes: hashes });
  return sendPage({
    title,
    brand: platformBrand(deps),
    body: html`<p>These codes let you in when you do not have your phone or passkey at hand. Each works once. Print them, or
keep them in your password manager: <strong>they are not shown again</strong>.</p>
<ul class="codes" aria-label="Recovery codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<p><a class="button" href="/account">I have kept them</a></p>`,
  });
}
