import type { UserRecord } from '../../../../domain/identity/user.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import { field, hidden } from '../form-fields.ts';

/** What the person most likely has at hand comes first; without JavaScript there are codes alone. */
export function secondFactorForms(user: UserRecord, common: Html, invalid: boolean): Html {
  if (user.passkeys.length === 0) return codeForm(true, common, invalid);
  if (user.totp?.confirmedAt != null) {
    return html`${codeForm(true, common, invalid)}
<div data-with-passkey hidden><p class="or">or</p></div>${passkeyForm(common, 'second')}`;
  }
  return html`${passkeyForm(common, '')}
<div data-with-passkey hidden><p class="or">or</p></div>${codeForm(false, common, invalid)}`;
}

function codeForm(generator: boolean, common: Html, invalid: boolean): Html {
  return html`<form method="post" action="/login/second-factor">${common}
${field({
  name: 'code',
  label: generator ? 'Code' : 'Recovery code',
  autocomplete: 'one-time-code',
  autofocus: generator,
  code: true,
  maxlength: 40,
  invalid,
  hint: generator
    ? 'The six digits your authenticator app shows, or one of your recovery codes.'
    : 'One of the codes you were shown when you added your passkey.',
})}
<button class="${!generator && 'second'}">Go on</button></form>`;
}

function passkeyForm(common: Html, look: string): Html {
  return html`<form method="post" action="/login/second-factor/passkey" data-passkey="get"
data-options="/login/second-factor/passkey/options" hidden>${common}${hidden('credential', '')}
<button class="${look}">Use a passkey</button>
<p class="message error" role="alert" data-message hidden></p></form>`;
}
