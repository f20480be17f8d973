import type { Reply } from '../../http/define-route.ts';
import { type Html, type HtmlValue, html } from '../../http/pages/html.ts';
import { sendPage } from '../../http/pages/send-page.ts';

/** How the ledger's pages look: the platform's own pages, wide. */
export const LEDGER_BRAND = { name: 'Audit ledger', logoUrl: null, colour: null } as const;

/** A page of the ledger with its navigation. */
export function sendLedgerPage(title: string, body: HtmlValue, status = 200): Reply {
  const view = { title, brand: LEDGER_BRAND, wide: true, body: html`${navigation()}${body}` };
  return sendPage(view, { status });
}

function navigation(): Html {
  return html`<nav class="links ledger-nav" aria-label="Audit ledger">
<a href="/audit">Events</a> <a href="/audit/anchors">Anchors</a>
<form method="post" action="/audit/logout"><button class="second small">Sign out</button></form>
</nav>`;
}

/** A moment to the second, in UTC: what the ledger hashes is exact, and what people compare should be. */
export function exactTime(time: Date): Html {
  const text = time.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
