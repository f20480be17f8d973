import { PAST_DAYS, type StatusIncident, type StatusView } from '../../domain/status-page/status-view.ts';
import { type Html, html } from '../http/pages/html.ts';
import { durationText, momentOf } from '../http/pages/time-words.ts';

const MOST_UPDATES = 3;
const MOST_CHARACTERS = 300;

/** Incidents that are open. @param most so many are shown, and it says how many more there are */
export function openIncidents({ open }: StatusView, most: number): Html | false {
  return open.length > 0 && section('Incidents', open, most);
}

/** Incidents that were resolved lately. @param most as of {@link openIncidents} */
export function pastIncidents({ past }: StatusView, most: number): Html {
  if (past.length > 0) return section('Past incidents', past, most);
  return html`<h2>Past incidents</h2>
<p class="quiet">None in the last ${PAST_DAYS} days.</p>`;
}

function section(title: string, incidents: readonly StatusIncident[], most: number): Html {
  const more = incidents.length - most;
  return html`<h2>${title}</h2>
${incidents.slice(0, most).map(incidentBox)}${more > 0 && html`<p class="quiet">And ${more} more.</p>`}`;
}

function incidentBox({ id, title, status, startedAt, resolvedAt, updates }: StatusIncident): Html {
  const lasted =
    resolvedAt === null ? '' : ` Resolved after ${durationText(resolvedAt.getTime() - startedAt.getTime())}.`;
  return html`<section class="box" id="${id}"><h3>${title}</h3>
<p class="quiet">Began ${momentOf(startedAt)}.${lasted}${resolvedAt === null && html` <strong>${capital(status)}</strong>`}</p>
${updates
  .slice(0, MOST_UPDATES)
  .map(
    ({ at, status: then, body }) =>
      html`<p><strong>${capital(then)}</strong> ${cut(body)} <span class="quiet">${momentOf(at)}</span></p>`,
  )}</section>`;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function cut(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;
}
