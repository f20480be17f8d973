import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { overallStatus } from '../../domain/status-page/overall-status.ts';
import { type Html, html, renderHtml, trustedMarkup } from '../http/pages/html.ts';
import { momentOf } from '../http/pages/time-words.ts';
import { changelogSection } from './changelog-section.ts';
import { componentSections } from './component-sections.ts';
import { openIncidents, pastIncidents } from './incident-sections.ts';
import type { StatusPage } from './page-content.ts';

/** In the document itself: a page that is kept is whole without its service. */
const STYLE = readFileSync(new URL('./status.css', import.meta.url), 'utf8').trim();
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** A page of this many bytes is read on the worst connection. */
export const MOST_PAGE_BYTES = 40 * 1024;
/** Components on one page; the others are on the next ones. */
export const COMPONENTS_A_PAGE = 20;

/** How much of what has no bound of its own is shown. */
interface Room {
  readonly changelogs: number;
  readonly past: number;
  readonly open: number;
}

const WHOLE: Room = { changelogs: COMPONENTS_A_PAGE, past: 8, open: 8 };

/**
 * The status page as a whole document: without JavaScript, with its style in it, and at most {@link MOST_PAGE_BYTES} long.
 * What does not fit is left out one by one: changelogs, the oldest first, then past incidents, then open ones but the
 * newest. The page says how many more there are.
 */
export function renderStatusPage(page: StatusPage): string {
  let room: Room | null = { ...WHOLE, changelogs: Math.min(WHOLE.changelogs, page.changelogs?.length ?? 0) };
  let text = '';
  while (room !== null) {
    text = renderHtml(documentOf(page, room));
    if (Buffer.byteLength(text) <= MOST_PAGE_BYTES) return text;
    room = lessRoom(room);
  }
  return text;
}

function lessRoom(room: Room): Room | null {
  if (room.changelogs > 0) return { ...room, changelogs: room.changelogs - 1 };
  if (room.past > 0) return { ...room, past: room.past - 1 };
  return room.open > 1 ? { ...room, open: room.open - 1 } : null;
}

/** Headers of the page: it runs nothing, loads nothing, and may be kept by caches for a moment. */
export const STATUS_PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** The style of the pages: what {@link STATUS_PAGE_HEADERS} allow. */
export function styleElement(): Html {
  return html`<style>${trustedMarkup(STYLE)}</style>`;
}

function documentOf(page: StatusPage, room: Room): Html {
  const { title, view, isStale } = page;
  const overall = overallStatus(view.components);
  const headline = isStale ? 'The state is not known now' : overall.description;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${headline} – ${title}</title>
${styleElement()}
</head>
<body${isStale && trustedMarkup(' class="stale"')}>
<div class="page">
<header><h1>${title}</h1></header>
<main>
<p class="overall ${isStale ? 'unknown' : overall.indicator}">${headline}</p>
<p class="quiet">As of ${momentOf(view.asOf)}.${isStale && ' The uptime monitor does not answer now: this is how it was then.'}</p>
${openIncidents(view, room.open)}
${componentSections(page)}
${changelogSection(page.changelogs?.slice(0, room.changelogs) ?? null)}
${pastIncidents(view, room.past)}
</main>
<footer class="quiet"><p>${pageLinks(page)}<a href="${page.path === '/' ? '' : page.path}/api/v2/summary.json">This page as JSON</a></p></footer>
</div>
</body>
</html>
`;
}

function pageLinks({ page: { number, count }, path }: StatusPage): Html | false {
  if (count <= 1) return false;
  const link = (to: number, words: string) => html`<a href="${path}?page=${to}">${words}</a> `;
  return html`Page ${number} of ${count}. ${number > 1 && link(number - 1, 'Previous')}${number < count && link(number + 1, 'Next')}`;
}
