import { STATE_WORDS } from '../../domain/status-page/overall-status.ts';
import type { ComponentHistory, StatusComponent } from '../../domain/status-page/status-view.ts';
import { type Html, html } from '../http/pages/html.ts';
import { barsLabel, dayBars } from './day-bars.ts';
import type { StatusPage } from './page-content.ts';
import { uptimeText } from './uptime-text.ts';

/** Less of the time than this known, and the figure says so. */
const FULL_COVERAGE = 0.995;

/** The components of a page by group, each with its state in words and its days. @param isStale as of the page */
export function componentSections({ components, histories }: StatusPage, isStale: boolean): Html {
  if (components.length === 0) return html`<p>Nothing is watched here yet.</p>`;
  const groups = [...Map.groupBy(components, ({ group }) => group)];
  return html`${groups.map(
    ([group, members]) => html`<h2>${group}</h2>
<ul class="list">${members.map((member) => componentItem(member, histories.get(member.id) ?? null, isStale))}</ul>`,
  )}`;
}

function componentItem({ name, state }: StatusComponent, history: ComponentHistory | null, isStale: boolean): Html {
  const { label, tone, sign } = STATE_WORDS[state];
  const shown = isStale ? html`was: ${label}` : html`${sign} ${label}`;
  return html`<li><div class="row"><strong>${name}</strong><span class="state ${tone}">${shown}</span></div>
${history !== null && historyOf(history)}</li>`;
}

function historyOf({ uptime, coverage, days }: ComponentHistory): Html {
  const text = uptimeText(uptime);
  const known = coverage >= FULL_COVERAGE || uptime === null ? '' : `, of ${Math.floor(coverage * 100)} % of the time`;
  return html`${dayBars(days, barsLabel(days, text))}
<div class="row quiet"><span>${days.length} days ago</span><span>${text}${known}</span><span>Today</span></div>`;
}
