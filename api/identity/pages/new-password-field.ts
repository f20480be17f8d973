import { PASSWORD_LENGTH } from '../../../domain/identity/password-rules.ts';
import type { Html } from '../../http/pages/html.ts';
import { field } from './form-fields.ts';

/** An input for a password that is to be chosen. */
export function newPasswordField(view: { label: string; invalid: boolean; autofocus?: boolean; name?: string }): Html {
  return field({
    name: 'password',
    type: 'password',
    autocomplete: 'new-password',
    hint: `At least ${PASSWORD_LENGTH.min} characters. A few words are easier to remember than symbols.`,
    ...view,
  });
}
