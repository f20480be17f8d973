import { type Html, type HtmlValue, html } from '../../api/http/pages/html.ts';
import type { PageContext } from '../page.ts';
import { type IconName, icon } from './icons.ts';

/** Field of each form that carries the token of the session. */
export const CSRF_FIELD = 'csrf';

export type FormContext = Pick<PageContext, 'csrf' | 'outcome'>;

export interface FormOptions {
  /** Path of the action. */
  readonly action: string;
  readonly button: string;
  readonly icon?: IconName;
  readonly tone?: 'primary' | 'plain' | 'danger';
  /** Fields; made by a function, they show what was typed into this form alone, and not into another one of the page. */
  readonly fields?: HtmlValue | ((own: FormContext) => HtmlValue);
  /** Values that go along unseen. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** Beside the button. */
  readonly beside?: HtmlValue;
}

/** A form of one action. */
export function form(context: FormContext, options: FormOptions): Html {
  const { action, hidden = {}, beside } = options;
  const { csrf, outcome } = context;
  const own = { csrf, outcome: outcome?.action === action ? outcome : null };
  const fields = typeof options.fields === 'function' ? options.fields(own) : options.fields;
  return html`<form method="post" action="${action}"${fields === undefined && html` class="inline"`}>
<input type="hidden" name="${CSRF_FIELD}" value="${csrf}">${Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}
${fields}<div class="buttons">${submitButton(options)}${beside}</div></form>`;
}

function submitButton({ button, icon: iconName, tone = 'primary' }: FormOptions): Html {
  return html`<button class="button${tone !== 'plain' && ` ${tone}`}">${iconName !== undefined && icon(iconName)}${button}</button>`;
}

/** A form that asks for a list: what it is filled in with stands in the address of what it finds. */
export function searchForm(options: {
  readonly path: string;
  readonly fields: HtmlValue;
  readonly button?: string;
  /** Whether it was filled in: then there is a way back to the whole list. */
  readonly active: boolean;
}): Html {
  const { path, fields, button = 'Search', active } = options;
  return html`<form method="get" action="${path}" role="search" class="search"><div class="field-row">${fields}
<div class="buttons"><button class="button">${icon('search')}${button}</button>${active && html`<a class="button bare" href="${path}">Clear</a>`}</div></div></form>`;
}

/** A form behind a question, for what cannot be undone; works without a script. Refused, it is open still, with the error at its field. */
export function confirmForm(
  context: FormContext,
  options: FormOptions & { readonly label: string; readonly question: HtmlValue },
): Html {
  const { outcome } = context;
  const isOpen = outcome?.kind === 'failed' && outcome.action === options.action;
  return html`<details class="confirm"${isOpen && html` open`}><summary class="button${options.tone === 'primary' && ' primary'}">${options.icon !== undefined && icon(options.icon)}${options.label}</summary>
<div class="confirm-body"><p>${options.question}</p>${form(context, { tone: 'danger', ...options })}</div></details>`;
}

export interface FieldOptions {
  readonly name: string;
  readonly label: string;
  readonly hint?: HtmlValue;
  readonly value?: string;
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'number' | 'date' | 'datetime-local' | 'url';
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  /** Rows of a text area; one line without. */
  readonly rows?: number;
  /** Letters of one width. */
  readonly mono?: boolean;
}

/** A labelled field: after a form that failed, with what was typed and why it was refused. */
export function field({ outcome }: Pick<FormContext, 'outcome'>, options: FieldOptions): Html {
  const { name, label, hint, type = 'text', required = false, rows, mono = false } = options;
  const failed = outcome?.kind === 'failed' ? outcome : null;
  const value = failed?.values[name] ?? options.value ?? '';
  const error = failed?.errors[name];
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean);
  const shared = html`id="field-${name}" name="${name}"${mono && html` class="mono"`}${required && html` required`}${
    options.placeholder !== undefined && html` placeholder="${options.placeholder}"`
  } autocomplete="${options.autocomplete ?? 'off'}"${error !== undefined && html` aria-invalid="true"`}${
    described.length > 0 && html` aria-describedby="${described.join(' ')}"`
  }`;
  return html`<div class="field"><label for="field-${name}">${label}</label>
${rows === undefined ? html`<input type="${type}" value="${value}" ${shared}>` : html`<textarea rows="${rows}" ${shared}>${value}</textarea>`}
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}${error !== undefined && html`<p class="field-error" id="${name}-error">${icon('x-circle')}${error}</p>`}</div>`;
}

/** A choice of few. */
export function select(
  { outcome }: Pick<FormContext, 'outcome'>,
  options: Pick<FieldOptions, 'name' | 'label' | 'hint' | 'value'> & {
    readonly choices: readonly (readonly [value: string, label: string])[];
  },
): Html {
  const { name, label, hint, choices } = options;
  const chosen = (outcome?.kind === 'failed' ? outcome.values[name] : undefined) ?? options.value;
  return html`<div class="field"><label for="field-${name}">${label}</label>
<select id="field-${name}" name="${name}"${hint !== undefined && html` aria-describedby="${name}-hint"`}>${choices.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select>${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}</div>`;
}

/** Yes or no. */
export function checkbox(
  { outcome }: Pick<FormContext, 'outcome'>,
  options: Pick<FieldOptions, 'name' | 'label' | 'hint'> & { readonly checked?: boolean },
): Html {
  const { name, label, hint } = options;
  const checked = outcome?.kind === 'failed' ? outcome.values[name] === 'on' : options.checked === true;
  return html`<div class="field check"><input type="checkbox" id="field-${name}" name="${name}"${checked && html` checked`}${hint !== undefined && html` aria-describedby="${name}-hint"`}>
<label for="field-${name}">${label}</label>${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}</div>`;
}
