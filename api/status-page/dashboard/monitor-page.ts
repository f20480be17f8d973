import { z } from 'zod';
import type { Incident } from '../../../domain/incidents/incident.ts';
import type { Monitor } from '../../../domain/monitors/monitor.ts';
import { dayBarsOf } from '../../../domain/status-page/day-states.ts';
import { SHOWN_DAYS } from '../../../domain/status-page/status-view.ts';
import type { Route } from '../../http/define-route.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { durationText, momentOf } from '../../http/pages/time-words.ts';
import { changeByHand } from '../../monitors/change-routes.ts';
import { mayAct } from '../../monitors/monitor-callers.ts';
import { monitorParams, readMonitor } from '../../monitors/monitor-routes.ts';
import { requireMonitor } from '../../monitors/require-monitor.ts';
import { barsLabel, dayBars } from '../day-bars.ts';
import { uptimeText } from '../uptime-text.ts';
import { deployList, readDeploys } from './deploys.ts';
import type { DashboardDeps } from './deps.ts';
import { sendDashboard, stateMark } from './layout.ts';
import { memberForm, memberPage } from './member-page.ts';
import { responseChart } from './response-chart.ts';

const HOURS = [24, 168, 720] as const;
const INCIDENTS = 10;
const HOUR_MS = 3_600_000;

const query = z.strictObject({ hours: z.coerce.number().pipe(z.literal(HOURS)).default(24) });

/** One monitor: how it is, how it was, and what can be done with it. */
export function monitorPageRoutes(deps: DashboardDeps): readonly Route[] {
  return [showRoute(deps), changeRoute(deps)];
}

function showRoute(deps: DashboardDeps): Route {
  return memberPage(deps, {
    path: '/dashboard/monitors/:id',
    summary: 'A page of one monitor',
    params: monitorParams,
    query,
    errors: ['MONITOR_NOT_FOUND'],
    show: async ({ params, query: { hours } }, caller) => {
      const monitor = await requireMonitor(deps, caller, params.id);
      const now = deps.now();
      const from = now.getTime() - hours * HOUR_MS;
      const [view, days, series, { items }, deploys] = await Promise.all([
        readMonitor(deps, caller, monitor),
        deps.history.days(monitor.id, SHOWN_DAYS, now),
        deps.history.series(monitor.id, hours, now),
        deps.incidents.list({ org: monitor.org, monitorId: monitor.id }, { cursor: null, limit: INCIDENTS }),
        readDeploys(deps, monitor, new Date(from)),
      ]);
      const bars = dayBarsOf(days, SHOWN_DAYS, now);
      const ninety = view.uptime.find((figure) => figure.days === SHOWN_DAYS)?.uptime ?? null;
      return sendDashboard(
        monitor.serviceName,
        html`${facts(view)}
<h2>Uptime</h2>
${figures(view.uptime)}
${dayBars(bars, barsLabel(bars, uptimeText(ninety)))}
<h2>Response times</h2>
<p>${HOURS.map((one) => periodLink(monitor, one, hours))}</p>
${responseChart(series, { from, to: now.getTime() }, deploys ?? [])}
${deployList(deploys)}
<h2>Incidents</h2>
${incidents(items)}
${mayAct(caller) && forms(monitor)}`,
      );
    },
  });
}

type View = Awaited<ReturnType<typeof readMonitor>>;

function facts({
  state,
  since,
  flapping,
  target,
  check,
  environment,
  org,
  intervalSeconds,
  deployedIntervalSeconds,
  isPublic,
  paused,
  objective,
  budget,
  lastCheck,
}: View): Html {
  const row = (name: string, value: Html | string): Html => html`<dt>${name}</dt><dd>${value}</dd>`;
  return html`<dl>
${row('State', html`${stateMark(state)} since ${momentOf(new Date(since))}${flapping && html` <span class="badge">flapping</span>`}`)}
${paused !== null && row('Paused', `by ${paused.by}`)}
${row('Target', target)}
${check.kind === 'http' && check.headers !== undefined && row('Sends', check.headers.map(headerText).join(', '))}
${row('Environment', environment)}
${row('Org', org ?? 'none yet')}
${row('Checked', `every ${intervalSeconds} s${deployedIntervalSeconds === null ? '' : `; deploys say ${deployedIntervalSeconds} s`}`)}
${objective !== null && budget !== null && row('Objective', objectiveText(objective, budget))}
${row('Status page', isPublic ? 'shows it' : 'does not show it')}
${lastCheck !== null && row('Last check', html`${momentOf(new Date(lastCheck.at))}: ${lastCheck.message ?? lastCheck.outcome}`)}
</dl>`;
}

/** As the caller may see it. */
function headerText(header: { name: string } & ({ value: string } | { secret: string })): string {
  return 'value' in header ? `${header.name}: ${header.value}` : `${header.name}: (secret ${header.secret})`;
}

function objectiveText(
  { targetPercent, windowDays }: NonNullable<View['objective']>,
  budget: NonNullable<View['budget']>,
) {
  const { allowedMs, usedMs, burning } = budget;
  const left = allowedMs - usedMs;
  return html`${targetPercent} % over ${windowDays} days: ${durationText(allowedMs)} down allowed,
${left >= 0 ? `${durationText(left)} left` : html`<strong>missed by ${durationText(-left)}</strong>`}${burning.length > 0 && html` <span class="badge">burns too fast</span>`}`;
}

function figures(uptime: View['uptime']): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Uptime"><table>
<thead><tr><th scope="col">Days</th><th scope="col">Uptime</th><th scope="col">Down for</th><th scope="col">Known</th></tr></thead>
<tbody>${uptime.map(
    (figure) => html`<tr><th scope="row">${figure.days}</th><td>${uptimeText(figure.uptime)}</td>
<td>${durationText(figure.downMs)}</td><td>${Math.floor(figure.coverage * 100)} % of the time</td></tr>`,
  )}</tbody></table></div>`;
}

function periodLink({ id }: Monitor, hours: number, current: number): Html {
  const words = hours < 48 ? `${hours} hours` : `${hours / 24} days`;
  if (hours === current) return html`<strong>${words}</strong> `;
  return html`<a href="/dashboard/monitors/${encodeURIComponent(id)}?hours=${hours}">${words}</a> `;
}

/** Incidents of one monitor, or of an org, newest first. */
export function incidents(items: readonly Incident[]): Html {
  if (items.length === 0) return html`<p class="quiet">There was none.</p>`;
  return html`<ul class="rows">${items.map(
    ({
      id,
      title,
      state,
      startedAt,
      resolvedAt,
    }) => html`<li><div><strong><a href="/dashboard/incidents/${encodeURIComponent(id)}">${title}</a></strong>
<span class="quiet">${momentOf(startedAt)}${resolvedAt !== null && `, for ${durationText(resolvedAt.getTime() - startedAt.getTime())}`}</span></div>
<span>${state}</span></li>`,
  )}</ul>`;
}

function forms({ id, paused, isPublic }: Monitor): Html {
  const action = `/dashboard/monitors/${encodeURIComponent(id)}/change`;
  const button = (name: string, value: boolean, words: string): Html =>
    html`<form method="post" action="${action}"><input type="hidden" name="${name}" value="${String(value)}"><button class="second small">${words}</button></form>`;
  return html`<h2>Change</h2>
${button('paused', paused === null, paused === null ? 'Pause' : 'Resume')}
${button('isPublic', !isPublic, isPublic ? 'Hide from the status page' : 'Show on the status page')}`;
}

function changeRoute(deps: DashboardDeps): Route {
  return memberForm(deps, {
    path: '/dashboard/monitors/:id/change',
    summary: 'Pauses a monitor or lets it go on, and shows it on the status page or hides it',
    params: monitorParams,
    body: z.strictObject({ paused: z.stringbool().optional(), isPublic: z.stringbool().optional() }),
    errors: ['MONITOR_NOT_FOUND', 'CONFLICT'],
    send: async ({ params, body }, caller, context) => {
      const monitor = await requireMonitor(deps, caller, params.id);
      await changeByHand(deps, context, caller, monitor, body);
      return `/dashboard/monitors/${encodeURIComponent(monitor.id)}`;
    },
  });
}
