import { z } from 'zod';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { MONITOR_STATES } from '../../../domain/monitors/condition.ts';
import type { MonitorView } from '../../../domain/monitors/reply-schema.ts';
import { STATE_WORDS } from '../../../domain/status-page/overall-status.ts';
import type { Route } from '../../http/define-route.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { momentOf } from '../../http/pages/time-words.ts';
import { readMonitors } from '../../monitors/monitor-routes.ts';
import { uptimeText } from '../uptime-text.ts';
import type { DashboardDeps } from './deps.ts';
import { sendDashboard, stateMark } from './layout.ts';
import { memberPage, NOTHING } from './member-page.ts';

const SHOWN = 50;
const UPTIME_DAYS = 30;

/** A field that was left empty is none. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const query = z.strictObject({
  q: optional(z.string().trim().max(100)),
  state: optional(z.enum(MONITOR_STATES)),
  environment: optional(z.enum(ENVIRONMENTS)),
  cursor: optional(z.string().max(500)),
});
type Search = Omit<z.output<typeof query>, 'cursor'>;

/** Everything that an org has watched, with filters. */
export function listPage(deps: DashboardDeps): Route {
  return memberPage(deps, {
    path: '/dashboard',
    summary: 'A page with the monitors of the org',
    params: NOTHING,
    query,
    show: async ({ query: { cursor = null, ...search } }, caller) => {
      const filter = { ...search, archived: false, org: undefined };
      const { items, nextCursor } = await readMonitors(deps, caller, filter, { cursor, limit: SHOWN });
      const uptimes = await deps.history.uptime(
        items.map(({ id }) => id),
        UPTIME_DAYS,
        deps.now(),
      );
      const rows = items.map((view) => monitorRow(view, uptimes.get(view.id)?.ratio ?? null));
      return sendDashboard(
        'Monitors',
        html`${filterForm(search)}
${items.length === 0 ? html`<p>No monitor was found. A deploy registers its service.</p>` : table(rows)}
${nextCursor !== null && html`<p><a href="${nextPath(search, nextCursor)}" rel="next">More monitors</a></p>`}`,
      );
    },
  });
}

function filterForm({ q, state, environment }: Search): Html {
  const options = (names: readonly string[], chosen: string | undefined, label: (name: string) => string) =>
    names.map((name) => html`<option value="${name}"${name === chosen && html` selected`}>${label(name)}</option>`);
  const word = (name: string): string =>
    MONITOR_STATES.flatMap((one) => (one === name ? STATE_WORDS[one].label : []))[0] ?? name;
  return html`<form method="get" action="/dashboard" role="search"><div class="pair">
<div class="field"><label for="q">Name or target</label><input id="q" name="q" type="text" value="${q}" autocomplete="off"></div>
<div class="field"><label for="state">State</label><select id="state" name="state"><option value="">Any</option>${options(MONITOR_STATES, state, word)}</select></div>
<div class="field"><label for="environment">Environment</label><select id="environment" name="environment"><option value="">Any</option>${options(ENVIRONMENTS, environment, (name) => name)}</select></div>
</div><button>Search</button></form>`;
}

function table(rows: readonly Html[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Monitors"><table>
<thead><tr><th scope="col">Monitor</th><th scope="col">State</th><th scope="col">Since</th><th scope="col">${UPTIME_DAYS} days</th><th scope="col">Last check</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function monitorRow(view: MonitorView, uptime: number | null): Html {
  const { id, name, environment, check, target, state, since, flapping, lastCheck } = view;
  const took = lastCheck === null || check.kind === 'heartbeat' ? null : ` in ${lastCheck.durationMs} ms`;
  return html`<tr><th scope="row"><a href="/dashboard/monitors/${encodeURIComponent(id)}">${name}</a>
<span class="sub">${environment}, ${target}</span></th>
<td>${stateMark(state)}${flapping && html` <span class="badge">flapping</span>`}</td>
<td>${momentOf(new Date(since))}</td><td>${uptimeText(uptime)}</td>
<td>${lastCheck === null ? 'none yet' : html`${momentOf(new Date(lastCheck.at))}${took}`}</td></tr>`;
}

function nextPath(search: Search, cursor: string): string {
  const given = Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return `/dashboard?${new URLSearchParams([...given, ['cursor', cursor]])}`;
}
