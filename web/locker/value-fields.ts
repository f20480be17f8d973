import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { MAX_VALUE_LENGTH } from '../../domain/locker/item.ts';
import { checkbox, type FormContext, field } from '../look/forms.ts';

/** Fields of a form that writes one value. Named as in the API's body, so that what it says stands at the field. */
export const VALUE_FIELD = 'fields.0.value';

export const valueBody = {
  'fields.0.name': z.string().trim().max(200),
  [VALUE_FIELD]: z.string().max(MAX_VALUE_LENGTH * 2),
  secret: z.literal('on').optional(),
} as const;

/** @param name that is proposed for the field */
export function valueFields(own: FormContext, name: string): Html {
  return html`${field(own, { name: 'fields.0.name', label: 'Field', value: name, mono: true, required: true })}
${field(own, { name: VALUE_FIELD, label: 'Value', rows: 3, mono: true, required: true })}
${checkbox(own, { name: 'secret', label: 'It is secret', checked: true, hint: 'A value that is not secret is shown to whoever may see the item.' })}`;
}

/** One field of an item, as the API takes it. Browsers send line ends as CRLF: those that were typed are LF. */
export function typedValue(body: {
  readonly 'fields.0.name': string;
  readonly [VALUE_FIELD]: string;
  readonly secret?: 'on' | undefined;
}) {
  const value = body[VALUE_FIELD].replaceAll('\r\n', '\n');
  return { name: body['fields.0.name'], value, secret: body.secret === 'on' };
}
