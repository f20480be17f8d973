import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import type { Page } from '../../../domain/page.ts';
import type { Reply } from '../../http/define-route.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { exactTime, sendLedgerPage } from './layout.ts';

/** What was searched for, as it stands in the address. */
export interface Search {
  readonly entityId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly namespace?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const FIELDS = [
  { name: 'entityId', label: 'Entity', type: 'text' },
  { name: 'eventType', label: 'Type', type: 'text' },
  { name: 'namespace', label: 'Namespace', type: 'text' },
  { name: 'from', label: 'From day (UTC)', type: 'date' },
  { name: 'to', label: 'To day, included', type: 'date' },
] as const;

/** The search and what it found, newest first. */
export function searchPage(search: Search, { items, nextCursor }: Page<LedgerEvent>, org: string | null): Reply {
  return sendLedgerPage(
    'Events',
    html`<p class="quiet">${org === null ? 'Events of all orgs' : `Events of ${org}`}, newest first.</p>
<form method="get" action="/audit" role="search"><div class="pair">
${FIELDS.map((field) => searchField(field, search[field.name]))}
</div><button>Search</button></form>
${items.length === 0 ? html`<p>Nothing was found.</p>` : results(items)}
${nextCursor !== null && html`<p><a href="${olderPath(search, nextCursor)}" rel="next">Older events</a></p>`}`,
  );
}

function searchField({ name, label, type }: (typeof FIELDS)[number], value: string | undefined): Html {
  return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="off"></div>`;
}

function results(events: readonly LedgerEvent[]): Html {
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Entity</th><th scope="col">Place</th></tr></thead>
<tbody>${events.map(
    ({ id, createdAt, eventType, entityId, namespace, chainIndex }) => html`<tr>
<td>${exactTime(createdAt)}</td><td><a href="/audit/events/${encodeURIComponent(id)}">${eventType}</a></td>
<td>${entityId}</td><td>${namespace} #${chainIndex}</td></tr>`,
  )}</tbody></table></div>`;
}

function olderPath(search: Search, cursor: string): string {
  const given = Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return `/audit?${new URLSearchParams([...given, ['cursor', cursor]])}`;
}
