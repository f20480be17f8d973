import { z } from 'zod';
import { type Incident, MOST_UPDATE_CHARACTERS } from '../../../domain/incidents/incident.ts';
import { incidentUpdateSchema, resolveSchema } from '../../../domain/incidents/schema.ts';
import type { Route } from '../../http/define-route.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { durationText, momentOf } from '../../http/pages/time-words.ts';
import { acknowledge, addUpdate, requireOpen, resolve } from '../../incidents/change-routes.ts';
import { incidentParams, requireIncident } from '../../incidents/incident-routes.ts';
import { mayAct, readableOrg } from '../../monitors/monitor-callers.ts';
import type { DashboardDeps } from './deps.ts';
import { ESCALATION_PATH, toldSection } from './escalation-page.ts';
import { sendDashboard } from './layout.ts';
import { memberForm, memberPage, NOTHING } from './member-page.ts';
import { incidents } from './monitor-page.ts';

const SHOWN = 50;

/** Outages of an org, and what its people say of them. */
export function incidentPageRoutes(deps: DashboardDeps): readonly Route[] {
  return [listRoute(deps), showRoute(deps), ...formRoutes(deps)];
}

function listRoute(deps: DashboardDeps): Route {
  return memberPage(deps, {
    path: '/dashboard/incidents',
    summary: 'A page with the incidents of the org, newest first',
    params: NOTHING,
    query: z.strictObject({ cursor: z.string().max(500).optional() }),
    show: async ({ query: { cursor = null } }, caller) => {
      const org = readableOrg(caller);
      const { items, nextCursor } = await deps.incidents.list({ org }, { cursor, limit: SHOWN });
      const next = nextCursor === null ? null : `/dashboard/incidents?${new URLSearchParams({ cursor: nextCursor })}`;
      return sendDashboard(
        'Incidents',
        html`${mayAct(caller) && html`<p><a href="${ESCALATION_PATH}">Who is told of outages, and when</a></p>`}${incidents(items)}${next !== null && html`<p><a href="${next}" rel="next">Older incidents</a></p>`}`,
      );
    },
  });
}

function showRoute(deps: DashboardDeps): Route {
  return memberPage(deps, {
    path: '/dashboard/incidents/:id',
    summary: 'A page of one incident',
    params: incidentParams,
    query: NOTHING,
    errors: ['INCIDENT_NOT_FOUND'],
    show: async ({ params }, caller) => {
      const incident = await requireIncident(deps, caller, params.id);
      const isOpen = incident.state !== 'resolved';
      return sendDashboard(
        incident.title,
        html`${facts(incident)}${await toldSection(deps, caller, incident)}<h2>Updates</h2>${updates(incident)}${isOpen && mayAct(caller) && forms(incident)}`,
      );
    },
  });
}

function facts({ state, startedAt, resolvedAt, acknowledged, cause, monitorId, isPublic, flapping }: Incident): Html {
  const row = (name: string, value: Html | string): Html => html`<dt>${name}</dt><dd>${value}</dd>`;
  return html`<dl>
${row('State', flapping ? `${state}, flapping` : state)}
${row('Began', momentOf(startedAt))}
${resolvedAt !== null && row('Lasted', durationText(resolvedAt.getTime() - startedAt.getTime()))}
${acknowledged !== null && row('Acknowledged', html`by ${acknowledged.by}, ${momentOf(acknowledged.at)}`)}
${cause !== null && row('Seen', cause)}
${monitorId !== null && row('Monitor', html`<a href="/dashboard/monitors/${encodeURIComponent(monitorId)}">${monitorId}</a>`)}
${row('Status page', isPublic ? 'shows it' : 'does not show it')}
</dl>`;
}

function updates({ updates: all }: Incident): Html {
  if (all.length === 0) return html`<p class="quiet">Nobody has said anything yet.</p>`;
  return html`<ul class="rows">${all.toReversed().map(
    ({ at, status, body, by }) => html`<li><div><strong>${status}</strong> ${body}
<span class="quiet">${momentOf(at)}, ${by ?? 'the uptime monitor'}</span></div></li>`,
  )}</ul>`;
}

function forms({ id, state }: Incident): Html {
  const base = `/dashboard/incidents/${encodeURIComponent(id)}`;
  const words = incidentUpdateSchema.shape.status.options;
  return html`${
    state === 'open' &&
    html`<form method="post" action="${base}/acknowledge"><button class="second small">Acknowledge</button></form>`
  }
<h2>Say how it stands</h2>
<form method="post" action="${base}/updates">
<div class="field"><label for="status">Step</label><select id="status" name="status">${words.map((word) => html`<option value="${word}">${word}</option>`)}</select></div>
<div class="field"><label for="body">What is known</label><input id="body" name="body" type="text" maxlength="${MOST_UPDATE_CHARACTERS}" autocomplete="off" required></div>
<button>Send</button></form>
<form method="post" action="${base}/resolve"><button class="second small">Resolve</button></form>`;
}

function formRoutes(deps: DashboardDeps): readonly Route[] {
  const row = { params: incidentParams, errors: ['INCIDENT_NOT_FOUND', 'CONFLICT'] } as const;
  const pageOf = ({ id }: Incident): string => `/dashboard/incidents/${encodeURIComponent(id)}`;
  return [
    memberForm(deps, {
      ...{ ...row, path: '/dashboard/incidents/:id/acknowledge', body: z.strictObject({}) },
      summary: 'Acknowledges an incident from its page',
      send: async ({ params }, caller, context) => {
        const incident = await requireOpen(deps, caller, params.id);
        await acknowledge(deps, context, caller, incident);
        return pageOf(incident);
      },
    }),
    memberForm(deps, {
      ...{ ...row, path: '/dashboard/incidents/:id/updates', body: incidentUpdateSchema },
      summary: 'Adds an update to an incident from its page',
      send: async ({ params, body }, caller, context) => {
        const incident = await requireOpen(deps, caller, params.id);
        await addUpdate(deps, context, caller, { incident, ...body });
        return pageOf(incident);
      },
    }),
    memberForm(deps, {
      ...{ ...row, path: '/dashboard/incidents/:id/resolve', body: resolveSchema },
      summary: 'Resolves an incident from its page',
      send: async ({ params, body: { note } }, caller, context) => {
        const incident = await requireOpen(deps, caller, params.id);
        await resolve(deps, context, caller, { incident, note });
        return pageOf(incident);
      },
    }),
  ];
}
