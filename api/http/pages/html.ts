const MARKUP = Symbol('markup');

/** Text that is markup: made by {@link html} alone, so that whatever else is put into a page is escaped. */
export interface Html {
  readonly [MARKUP]: string;
}

/** What may stand in a template. `null`, `undefined` and `false` are nothing, so `condition && html…` reads well. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * Makes markup: the template is taken as it is, every value is escaped, for text and for attributes in double quotes.
 * A value never belongs into a tag or attribute name, an unquoted attribute, a script or a style.
 */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const markup = template.reduce((text, part, index) => text + write(values[index - 1]) + part);
  return { [MARKUP]: markup };
}

/** Takes markup that came from a trusted producer, such as the SVG of a QR code. Never what anybody typed. */
export function trustedMarkup(markup: string): Html {
  return { [MARKUP]: markup };
}

/** The markup as text, for sending. */
export function renderHtml(value: Html): string {
  return value[MARKUP];
}

function write(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return isList(value) ? value.map(write).join('') : value[MARKUP];
}

function isList(value: Html | readonly HtmlValue[]): value is readonly HtmlValue[] {
  return Array.isArray(value);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}
