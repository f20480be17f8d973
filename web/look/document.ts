import { type Html, type HtmlValue, html, renderHtml } from '../../api/http/pages/html.ts';
import type { PageView } from '../page.ts';
import { ICON_PATH, SCRIPT_PATH, STYLESHEET_PATH } from './assets.ts';
import { notice } from './components.ts';
import { icon } from './icons.ts';
import { type NavGroup, navigation, type Who } from './navigation.ts';
import { visibleText } from './visible-text.ts';

export interface TabLink {
  readonly label: string;
  readonly path: string;
  readonly current: boolean;
}

/** A page with all that is around it. */
export interface Document {
  readonly view: PageView;
  readonly who: Who;
  readonly csrf: string;
  readonly nav: readonly NavGroup[];
  readonly tabs: readonly TabLink[];
  /** Of the stream of its changes; null for a page without any. */
  readonly livePath: string | null;
  /** What the form before said. */
  readonly outcome: { readonly kind: 'done' | 'failed'; readonly text: string } | null;
  readonly madeAt: Date;
}

/** The whole page. Works without JavaScript; no inline style or script, so that the policy can forbid both. */
export function renderDocument(document: Document): string {
  const { view, livePath, madeAt } = document;
  return frame(
    view.title,
    madeAt,
    html`<div class="shell">${navigation(document)}
<main class="page" id="main" tabindex="-1"${livePath !== null && html` data-live="${livePath}"`}><div class="page-inner">${outcomeNotice(document)}
<div class="live-lost" id="live-lost" hidden>${notice('warn', html`<p data-text></p>`)}</div>
${pageHead(view)}${tabBar(document.tabs)}${view.body}</div></main></div>`,
  );
}

/** A page without navigation, for whoever is not signed in. */
export function renderPlainDocument(view: Pick<PageView, 'title' | 'body'>, madeAt: Date): string {
  return frame(
    view.title,
    madeAt,
    html`<main class="plain-page" id="main" tabindex="-1"><a class="brand" href="/"><img src="${ICON_PATH}" alt="" width="26" height="26">Fairlead</a>
<section class="card"><div class="card-body"><h1>${view.title}</h1>${view.body}</div></section></main>`,
  );
}

function frame(title: string, madeAt: Date, body: HtmlValue): string {
  const page = html`<!doctype html>
<html lang="en" data-made="${madeAt.toISOString()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – Fairlead</title>
<link rel="icon" href="${ICON_PATH}">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
<script src="${SCRIPT_PATH}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${body}
</body>
</html>
`;
  return visibleText(renderHtml(page));
}

function pageHead({ title, crumbs = [], beside, lead, buttons }: PageView): Html {
  return html`<header class="page-head">${crumbs.length > 0 && html`<nav aria-label="Breadcrumb"><ol class="crumbs">${crumbs.map(([label, path], place) => html`<li>${place > 0 && icon('chevron-right')}<a href="${path}">${label}</a></li>`)}</ol></nav>`}
<div class="title-row"><h1>${title}</h1>${beside}${buttons !== undefined && html`<div class="buttons">${buttons}</div>`}</div>
${lead !== undefined && html`<p class="lead">${lead}</p>`}</header>`;
}

function tabBar(tabs: readonly TabLink[]): Html | false {
  if (tabs.length < 2) return false;
  return html`<nav class="tabs" aria-label="Views">${tabs.map(({ label, path, current }) => html`<a href="${path}"${current && html` aria-current="page"`}>${label}</a>`)}</nav>`;
}

function outcomeNotice({ outcome }: Document): Html | false {
  if (outcome === null) return false;
  return notice(outcome.kind === 'done' ? 'good' : 'bad', html`<p>${outcome.text}</p>`);
}
