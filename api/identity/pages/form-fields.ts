import { z } from 'zod';
import { type Html, type HtmlValue, html } from '../../http/pages/html.ts';
import { MAX_RETURN_TO } from './return-to.ts';

/** Schemas of fields that forms have in common. A field sent twice, or as an object, is no string and is refused. */
export const csrfSchema = z.string().max(100).default('');
export const returnToSchema = z.string().max(MAX_RETURN_TO).default('');
export const emailSchema = z.string().max(320).default('');
export const passwordSchema = z.string().max(1_024).default('');
export const nameSchema = z.string().trim().max(100).default('');
export const tokenSchema = z.string().max(200).default('');
export const codeSchema = z.string().trim().max(40).default('');

/** Parameters of a page's query; unknown ones are ignored, as mail programs add theirs. */
export const pageQuery = z.looseObject({
  return_to: z.string().max(MAX_RETURN_TO).optional(),
  token: z.string().max(200).optional(),
});

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

export interface FieldView {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password';
  readonly value?: string;
  /** The browser's password manager needs it; see HTML, "autofill". */
  readonly autocomplete: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly autofocus?: boolean;
  /** True when the page's error is about this field. */
  readonly invalid?: boolean;
  readonly code?: boolean;
  readonly maxlength?: number;
}

/** A labelled input. The page's error, when there is one, describes the field that caused it. */
export function field(view: FieldView): Html {
  const { name, type = 'text', required = true } = view;
  const describedBy = [view.hint !== undefined && `${name}-hint`, view.invalid === true && 'error'].filter(Boolean);
  const flags: HtmlValue = [
    required && html` required`,
    view.autofocus === true && html` autofocus`,
    view.invalid === true && html` aria-invalid="true"`,
    describedBy.length > 0 && html` aria-describedby="${describedBy.join(' ')}"`,
    view.value !== undefined && html` value="${view.value}"`,
    view.code === true && html` class="code" spellcheck="false" autocapitalize="none"`,
    view.maxlength !== undefined && html` maxlength="${view.maxlength}"`,
  ];
  return html`<div class="field"><label for="${name}">${view.label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${view.autocomplete}"${flags}>
${view.hint !== undefined && html`<span class="hint" id="${name}-hint">${view.hint}</span>`}</div>`;
}
