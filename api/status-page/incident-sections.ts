import { PAST_DAYS, type StatusIncident, type StatusView } from '../../domain/status-page/status-view.ts';
import { type Html, html } from '../http/pages/html.ts';
import { durationText, momentOf } from '../http/pages/time-words.ts';
import type { Section } from './fit-sections.ts';

/** So many are shown where there is room; the page says how many more there are. */
const MOST_INCIDENTS = 8;

/** Incidents that are open: one at least is shown. */
export function openIncidents({ open }: StatusView): Section {
  if (open.length === 0) return { parts: [], least: 0, around: () => ({}) };
  return section('Incidents', open, 1);
}

/** Incidents that were resolved lately. */
export function pastIncidents({ past }: StatusView): Section {
  if (past.length > 0) return section('Past incidents', past, 0);
  const none = html`<h2>Past incidents</h2>
<p class="quiet">None in the last ${PAST_DAYS} days.</p>`;
  return { parts: [], least: 0, around: () => ({ before: none }) };
}

function section(title: string, incidents: readonly StatusIncident[], least: number): Section {
  const before = html`<h2>${title}</h2>
`;
  return {
    parts: incidents.slice(0, MOST_INCIDENTS).map(incidentBox),
    least,
    around: (shown) => {
      const more = incidents.length - shown;
      return more > 0 ? { before, behind: html`<p class="quiet">And ${more} more.</p>` } : { before };
    },
  };
}

function incidentBox({ id, title, status, startedAt, resolvedAt, updates }: StatusIncident): Html {
  const lasted =
    resolvedAt === null ? '' : ` Resolved after ${durationText(resolvedAt.getTime() - startedAt.getTime())}.`;
  return html`<section class="box" id="${id}"><h3>${title}</h3>
<p class="quiet">Began ${momentOf(startedAt)}.${lasted}${resolvedAt === null && html` <strong>${capital(status)}</strong>`}</p>
${updates.map(
  ({ at, status: then, body }) =>
    html`<p><strong>${capital(then)}</strong> ${body} <span class="quiet">${momentOf(at)}</span></p>`,
)}</section>`;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
