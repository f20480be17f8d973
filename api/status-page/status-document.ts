import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { overallStatus } from '../../domain/status-page/overall-status.ts';
import { type Html, html, renderHtml, trustedMarkup } from '../http/pages/html.ts';
import { momentOf } from '../http/pages/time-words.ts';
import { changelogSection } from './changelog-section.ts';
import { componentSections } from './component-sections.ts';
import { bytesOf, drawSection, fitSections } from './fit-sections.ts';
import { openIncidents, pastIncidents } from './incident-sections.ts';
import type { StatusPage } from './page-content.ts';

/** In the document itself: a page that is kept is whole without its service. */
const STYLE = readFileSync(new URL('./status.css', import.meta.url), 'utf8').trim();
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** A page of this many bytes is read on the worst connection. */
export const MOST_PAGE_BYTES = 40 * 1024;
/** A status page as it is, and as it is shown when it cannot be read. */
export interface StatusDocuments {
  readonly live: string;
  readonly stale: string;
}

/**
 * The status page as a whole document: without JavaScript, with its style in it, and at most {@link MOST_PAGE_BYTES} long.
 * What does not fit is left out one by one: changelogs, the oldest first, then past incidents, then open ones but the
 * newest. The page says how many more there are. Nothing of it is drawn twice, however little of it fits.
 */
export function renderStatusPage(page: StatusPage): StatusDocuments {
  const sections = [changelogSection(page.changelogs), pastIncidents(page.view), openIncidents(page.view)] as const;
  const render = (isStale: boolean): string => {
    const frame = frameOf(page, isStale);
    const [changelogs = 0, past = 0, open = 0] = fitSections(sections, MOST_PAGE_BYTES - frame.bytes);
    return renderHtml(
      frame.around({
        changelogs: drawSection(sections[0], changelogs),
        past: drawSection(sections[1], past),
        open: drawSection(sections[2], open),
      }),
    );
  };
  return { live: render(false), stale: render(true) };
}

/** Headers of the page: it runs nothing, loads nothing, and may be kept by caches for a moment. */
export const STATUS_PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** The style of the pages: what {@link STATUS_PAGE_HEADERS} allow. */
export function styleElement(): Html {
  return html`<style>${trustedMarkup(STYLE)}</style>`;
}

/** What has no bound of its own. */
type Filling = Readonly<Record<'changelogs' | 'past' | 'open', Html>>;

/** All else of the page, in two parts around each section of the filling; and its length. */
function frameOf(page: StatusPage, isStale: boolean) {
  const { title, view } = page;
  const overall = overallStatus(view.components);
  const headline = isStale ? 'The state is not known now' : overall.description;
  const components = componentSections(page, isStale);
  const base = page.path === '/' ? '' : page.path;
  const top = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${headline} – ${title}</title>
<link rel="alternate" type="application/atom+xml" href="${base}/feed.atom" title="Incidents">
${styleElement()}
</head>
<body${isStale && trustedMarkup(' class="stale"')}>
<div class="page">
<header><h1>${title}</h1></header>
<main>
<p class="overall ${isStale ? 'unknown' : overall.indicator}">${headline}</p>
<p class="quiet">As of ${momentOf(view.asOf)}.${isStale && ' The uptime monitor does not answer now: this is how it was then.'}</p>
`;
  const link = (file: string, words: string) => html`<a href="${base}/${file}">${words}</a>`;
  const bottom = html`
${page.takesSubscribers && !isStale && subscribeForm(base)}</main>
<footer class="quiet"><p>${pageLinks(page)}${link('feed.atom', 'Incidents as a feed')} ${link('maintenance.ics', 'Maintenance as a calendar')} ${link('api/v2/summary.json', 'This page as JSON')}</p></footer>
</div>
</body>
</html>
`;
  const around = ({ open, changelogs, past }: Filling): Html => html`${top}${open}
${components}
${changelogs}
${past}${bottom}`;
  const nothing = html``;
  return { around, bytes: bytesOf(around({ open: nothing, changelogs: nothing, past: nothing })) };
}

/** Its answer is the same whatever is known of the address, so it needs neither a cookie nor a token. */
function subscribeForm(base: string): Html {
  return html`<form method="post" action="${base}/subscribe">
<label for="address">Get updates by mail</label>
<div class="row"><input id="address" name="address" type="email" autocomplete="email" maxlength="254" required>
<button>Subscribe</button></div>
</form>
`;
}

function pageLinks({ page: { number, count }, path }: StatusPage): Html | false {
  if (count <= 1) return false;
  const link = (to: number, words: string) => html`<a href="${path}?page=${to}">${words}</a> `;
  return html`Page ${number} of ${count}. ${number > 1 && link(number - 1, 'Previous')}${number < count && link(number + 1, 'Next')}`;
}
