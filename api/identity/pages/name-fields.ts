import { type Html, html } from '../../http/pages/html.ts';
import { field } from './form-fields.ts';

/** Inputs for somebody's name. */
export function nameFields(shown: { readonly firstName: string; readonly lastName: string }): Html {
  const first = field({
    name: 'firstName',
    label: 'First name',
    value: shown.firstName,
    autocomplete: 'given-name',
    maxlength: 100,
    autofocus: true,
  });
  const last = field({
    name: 'lastName',
    label: 'Last name',
    value: shown.lastName,
    autocomplete: 'family-name',
    maxlength: 100,
  });
  return html`<div class="pair">${first}${last}</div>`;
}
