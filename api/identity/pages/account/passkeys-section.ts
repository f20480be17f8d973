import type { Passkey } from '../../../../domain/identity/user.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import { field, hidden } from '../form-fields.ts';
import { readableTime } from '../readable-time.ts';
import type { Account } from './require-account.ts';

/** @param asksFirst true when who adds one is to show first that it is them: see first-factor.ts */
export function passkeysSection({ csrf, user, proof = '' }: Account, asksFirst: boolean): Html {
  const { passkeys } = user;
  const common = html`${hidden('csrf', csrf)}${hidden('proof', proof)}`;
  return html`<h2 id="passkeys">Passkeys</h2>
${passkeys.length === 0 && html`<p class="quiet">Sign in with your fingerprint, face or a security key instead of a password.</p>`}
${passkeys.length > 0 && html`<ul class="rows" aria-labelledby="passkeys">${passkeys.map((one) => passkeyRow(common, one))}</ul>`}
${asksFirst ? html`<p><a class="button second small" href="/account/second-factor">Add a passkey</a></p>` : addForm(common)}
<noscript><p class="quiet">Adding a passkey needs JavaScript.</p></noscript>`;
}

function addForm(common: Html): Html {
  return html`<form method="post" action="/account/passkeys" data-passkey="create" data-options="/account/passkeys/options" hidden>
${common}${hidden('credential', '')}
${field({ name: 'name', label: 'Name of the new passkey', autocomplete: 'off', required: false, maxlength: 60, hint: 'Such as the device it is on.' })}
<button class="second small">Add a passkey</button>
<p class="message error" role="alert" data-message hidden></p></form>`;
}

function passkeyRow(common: Html, { credentialId, name, createdAt, lastUsedAt }: Passkey): Html {
  return html`<li><div><strong>${name}</strong><span class="quiet">Added ${readableTime(createdAt)} ·
${lastUsedAt === null ? 'not used yet' : `last used ${readableTime(lastUsedAt)}`}</span></div>
<form method="post" action="/account/passkeys/remove">${common}${hidden('id', credentialId)}
<button class="second small danger" aria-label="Remove ${name}">Remove</button></form></li>`;
}
