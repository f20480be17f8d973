import { type Html, html } from '../../../http/pages/html.ts';
import { field, hidden } from '../form-fields.ts';
import { challengeParts } from '../login-challenge-fields.ts';
import { newPasswordField } from '../new-password-field.ts';
import type { Account } from './require-account.ts';

export function passwordSection({ csrf, user }: Account, details?: unknown): Html {
  const challenge = challengeParts({ details });
  const has = user.passwordHash !== null;
  const current = field({
    name: 'current',
    label: 'Current password',
    type: 'password',
    autocomplete: 'current-password',
  });
  return html`<h2>Password</h2>
<details${details !== undefined && ' open'}><summary>${has ? 'Change the password' : 'Set a password'}</summary>
<form method="post" action="/account/password"${challenge.attributes}>${challenge.fields}${hidden('csrf', csrf)}${hidden('email', user.email)}
${has && current}
${newPasswordField({ label: 'New password', invalid: false })}
<button class="small">Save</button></form></details>`;
}
