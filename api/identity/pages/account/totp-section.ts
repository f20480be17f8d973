import { type Html, html } from '../../../http/pages/html.ts';
import { hidden } from '../form-fields.ts';
import type { Account } from './require-account.ts';

export function totpSection({ csrf, user, proof = '' }: Account): Html {
  const common = html`${hidden('csrf', csrf)}${hidden('proof', proof)}`;
  const on = user.totp !== null && user.totp.confirmedAt !== null;
  const { length } = user.recoveryCodes;
  const recovery = html`<h2>Recovery codes</h2>
<p class="quiet">You have ${length} unused recovery ${length === 1 ? 'code' : 'codes'}.</p>
<form method="post" action="/account/recovery-codes">${common}
<button class="second small">Make new recovery codes</button></form>`;
  return html`<h2>Authenticator app</h2>
${on && html`<p>On: signing in with your password also asks for a code.</p>`}
${!on && html`<p class="quiet">Codes from an app on your phone, asked for besides your password.</p>`}
<form method="post" action="${on ? '/account/totp/remove' : '/account/totp'}">${common}
<button class="second small${on && ' danger'}">${on ? 'Remove the app' : 'Set up an app'}</button></form>
${(on || user.passkeys.length > 0) && recovery}`;
}
