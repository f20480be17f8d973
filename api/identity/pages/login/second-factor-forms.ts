import type { UserRecord } from '../../../../domain/identity/user.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import { field, hidden } from '../form-fields.ts';

export interface FactorFormsView {
  /** Path that takes the code; a passkey goes to `{base}/passkey`, which gets its options from `{base}/passkey/options`. */
  readonly base: string;
  /** Hidden fields of each form. */
  readonly common: Html;
  /** True when the code that was sent is wrong. */
  readonly invalid: boolean;
}

/** What the person most likely has at hand comes first; without JavaScript there are codes alone. */
export function secondFactorForms(user: UserRecord, view: FactorFormsView): Html {
  if (user.passkeys.length === 0) return codeForm(true, view);
  if (user.totp?.confirmedAt != null) {
    return html`${codeForm(true, view)}
<div data-with-passkey hidden><p class="or">or</p></div>${passkeyForm(view, 'second')}`;
  }
  return html`${passkeyForm(view, '')}
<div data-with-passkey hidden><p class="or">or</p></div>${codeForm(false, view)}`;
}

function codeForm(generator: boolean, { base, common, invalid }: FactorFormsView): Html {
  return html`<form method="post" action="${base}">${common}
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

function passkeyForm({ base, common }: FactorFormsView, look: string): Html {
  return html`<form method="post" action="${base}/passkey" data-passkey="get"
data-options="${base}/passkey/options" hidden>${common}${hidden('credential', '')}
<button class="${look}">Use a passkey</button>
<p class="message error" role="alert" data-message hidden></p></form>`;
}
