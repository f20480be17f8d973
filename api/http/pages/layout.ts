import { brandStylesheetPath, ICON_PATH, SCRIPT_PATH, STYLESHEET_PATH } from './assets.ts';
import { type Html, type HtmlValue, html, renderHtml } from './html.ts';

/** How a page looks. */
export interface Brand {
  readonly name: string;
  /** https only; null for none. */
  readonly logoUrl: string | null;
  /** `#rrggbb`; null for the platform's own. */
  readonly colour: string | null;
}

/** A page to be drawn. */
export interface PageView {
  readonly title: string;
  readonly brand: Brand;
  readonly body: HtmlValue;
  /** What went wrong; read out by screen readers. */
  readonly error?: string | null;
  /** What went well. */
  readonly notice?: string | null;
  /** True for pages with more than one form's worth. */
  readonly wide?: boolean;
  /** True where the script has something to do. */
  readonly scripted?: boolean;
  /** CSP sources besides our own that a submitted form may be redirected to. */
  readonly formTargets?: readonly string[];
}

/** The whole document. Works without JavaScript; no inline style or script, so that the policy can forbid both. */
export function renderPage(view: PageView): string {
  const { title, brand, error = null, notice = null } = view;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${error !== null && 'Error: '}${title} – ${brand.name}</title>
<link rel="icon" href="${brand.logoUrl ?? ICON_PATH}">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
${brand.colour !== null && html`<link rel="stylesheet" href="${brandStylesheetPath(brand.colour)}">`}
${view.scripted === true && html`<script src="${SCRIPT_PATH}" defer></script>`}
</head>
<body>
<div class="page${view.wide === true && ' wide'}">
<header>${header(brand)}</header>
<main class="card">
<h1>${title}</h1>
${error !== null && html`<p class="message error" id="error" role="alert">${error}</p>`}
${notice !== null && html`<p class="message notice" role="status">${notice}</p>`}
${view.body}
</main>
</div>
</body>
</html>
`;
  return renderHtml(page);
}

function header({ name, logoUrl }: Brand): Html {
  if (logoUrl === null) return html`<span class="brand">${name}</span>`;
  return html`<img class="logo" src="${logoUrl}" alt="${name}" referrerpolicy="no-referrer">`;
}
