import type { MonitorState } from '../../../domain/monitors/condition.ts';
import { STATE_WORDS } from '../../../domain/status-page/overall-status.ts';
import type { Reply } from '../../http/define-route.ts';
import { type Html, type HtmlValue, html } from '../../http/pages/html.ts';
import { renderPage } from '../../http/pages/layout.ts';
import { pageHeaders } from '../../http/pages/page-headers.ts';

/** How the dashboard looks: the platform's own pages, wide. */
export const MONITOR_BRAND = { name: 'Uptime monitor', logoUrl: null, colour: null } as const;

/** A page of the dashboard with its navigation. */
export function sendDashboard(title: string, body: HtmlValue, status = 200): Reply {
  const view = { title, brand: MONITOR_BRAND, wide: true, body: html`${navigation()}${body}` };
  // With `no-referrer` a browser would not say either which page has sent a form.
  const headers = { ...pageHeaders(view), 'Referrer-Policy': 'same-origin' };
  return async (response) => {
    response.status(status).set(headers).send(renderPage(view));
  };
}

function navigation(): Html {
  return html`<nav class="links ledger-nav" aria-label="Uptime monitor">
<a href="/dashboard">Monitors</a> <a href="/dashboard/incidents">Incidents</a> <a href="/">Status page</a>
<form method="post" action="/dashboard/logout"><button class="second small">Sign out</button></form>
</nav>`;
}

/** A state by a sign and a word, and by its colour besides. */
export function stateMark(state: MonitorState): Html {
  const { label, tone, sign } = STATE_WORDS[state];
  return html`<span class="state ${tone}">${sign} ${label}</span>`;
}
