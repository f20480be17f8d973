import { type Html, type HtmlValue, html } from '../../api/http/pages/html.ts';
import type { FairleadError } from '../../domain/errors.ts';
import type { Part } from '../platform/part.ts';
import { type IconName, icon } from './icons.ts';

/** A box with a heading. @param id of the heading, so that addresses can name it */
export function card(
  options: { readonly title?: string; readonly id?: string; readonly beside?: HtmlValue; readonly flush?: boolean },
  body: HtmlValue,
): Html {
  const { title, id, beside, flush = false } = options;
  return html`<section class="card${flush && ' flush'}">${title !== undefined && html`<header><h2 id="${id ?? slug(title)}">${title}</h2>${beside !== undefined && html`<div class="beside">${beside}</div>`}</header>`}
<div class="card-body">${body}</div></section>`;
}

function slug(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** A part of a page in its box; where the part is not to be had, the box says why and the rest of the page is there. */
export function partCard<T>(options: Parameters<typeof card>[0], part: Part<T>, view: (value: T) => HtmlValue): Html {
  if (part.ok) return card(options, view(part.value));
  return card({ ...options, flush: false }, missingPart(part.error));
}

export function missingPart({ code, message }: FairleadError): Html {
  const isAway = code === 'UNAVAILABLE';
  return html`<p class="missing">${icon(isAway ? 'alert' : 'info')}<span>${message}.${isAway && ' The rest of the page is current; load it again to try once more.'}</span></p>`;
}

export type NoticeTone = 'good' | 'bad' | 'warn' | 'info';

const NOTICE_ICONS: Readonly<Record<NoticeTone, IconName>> = {
  good: 'check-circle',
  bad: 'x-circle',
  warn: 'alert',
  info: 'info',
};

/** A message; screen readers say at once what is bad. */
export function notice(tone: NoticeTone, body: HtmlValue): Html {
  return html`<div class="notice tone-${tone === 'info' ? 'busy' : tone}" role="${tone === 'bad' ? 'alert' : 'status'}">${icon(NOTICE_ICONS[tone])}<div>${body}</div></div>`;
}

/** What stands where there is nothing yet: what would be there, and how it comes there. */
export function emptyState(options: {
  readonly icon: IconName;
  readonly title: string;
  readonly text: HtmlValue;
  readonly action?: HtmlValue;
}): Html {
  return html`<div class="empty">${icon(options.icon)}<h3>${options.title}</h3><p>${options.text}</p>${options.action !== undefined && html`<div class="buttons">${options.action}</div>`}</div>`;
}

export interface Column {
  readonly label: string;
  /** `number` stands at the right; `main` is the heading of its card on a phone; `actions` has no label there. */
  readonly kind?: 'main' | 'number' | 'actions';
}

/** A table that becomes one card a row on a phone. @param caption says to screen readers what it lists */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly HtmlValue[])[]): Html {
  return html`<table class="table"><caption class="unseen">${caption}</caption>
<thead><tr>${columns.map(({ label, kind }) => html`<th scope="col"${classOf(kind)}>${kind === 'actions' ? html`<span class="unseen">${label}</span>` : label}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, index) => tableCell(columns[index], cell))}</tr>`)}</tbody></table>`;
}

function tableCell(column: Column | undefined, cell: HtmlValue): Html {
  const { kind, label = '' } = column ?? {};
  if (kind === 'main') return html`<th scope="row" class="main">${cell}</th>`;
  return html`<td${classOf(kind)} data-label="${label}"><div class="cell">${cell}</div></td>`;
}

function classOf(kind: Column['kind']): Html | false {
  return kind !== undefined && html` class="${kind}"`;
}

/** Names and values, one below the other. */
export function facts(rows: readonly (readonly [name: string, value: HtmlValue])[]): Html {
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Text as it is, which can be scrolled by keyboard. @param label says to screen readers what it is */
export function codeBlock(label: string, text: string): Html {
  return html`<pre class="code" tabindex="0" aria-label="${label}"><code>${text}</code></pre>`;
}

/** A value to be copied: chosen whole by one click, and with a button where the script can copy. @param what such as `the value` */
export function copyable(what: string, text: string): Html {
  return html`<span class="copyable"><code class="value">${text}</code><button type="button" class="button bare copy" data-copy="${text}" aria-label="Copy ${what}" title="Copy">${icon('copy')}</button></span>`;
}

/** The way to what comes after this page of a list; nothing where it ends. @param path of this list, without a cursor */
export function pagination(path: string, nextCursor: string | null | undefined): Html | null {
  if (nextCursor === null || nextCursor === undefined) return null;
  const joined = `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ cursor: nextCursor })}`;
  return html`<nav class="pagination" aria-label="Pages"><a class="button" href="${joined}" rel="next">Older${icon('chevron-right')}</a></nav>`;
}

/** A link that looks like a button. */
export function linkButton(path: string, label: string, options: { icon?: IconName; primary?: boolean } = {}): Html {
  return html`<a class="button${options.primary === true && ' primary'}" href="${path}">${options.icon !== undefined && icon(options.icon)}${label}</a>`;
}

/** A link to another site. Anything but a web address is shown as text. */
export function externalLink(url: string, label = url.replace(/^https?:\/\//, '')): Html {
  if (!/^https?:\/\//.test(url)) return html`${label}`;
  return html`<a class="external" href="${url}" rel="noopener noreferrer">${label}${icon('external')}</a>`;
}

/** A part of a page that changes while the page is open. @param mode `polite` has screen readers say what changed */
export function liveRegion(id: string, body: HtmlValue, mode: 'polite' | 'quiet' = 'quiet'): Html {
  return html`<div data-region="${id}"${mode === 'polite' && html` aria-live="polite"`}>${body}</div>`;
}
