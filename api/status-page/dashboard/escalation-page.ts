import { FairleadError } from '../../../domain/errors.ts';
import { dueStep, passedOver, type ToldStep } from '../../../domain/incidents/escalation.ts';
import type { Incident } from '../../../domain/incidents/incident.ts';
import { toIncidentView } from '../../../domain/incidents/incident-view.ts';
import { OUTAGE_SEVERITIES, type OutageSeverity } from '../../../domain/notifications/escalation.ts';
import {
  type EscalationView,
  type NamedChannel,
  nameChannels,
} from '../../../domain/notifications/escalation-reply.ts';
import { severityParams } from '../../../domain/notifications/schema.ts';
import { admits } from '../../http/allowed-callers.ts';
import type { Caller } from '../../http/caller.ts';
import type { Route } from '../../http/define-route.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { durationText, momentOf } from '../../http/pages/time-words.ts';
import { mayAct } from '../../monitors/monitor-callers.ts';
import { CHANNEL_ADMINS, orgQuery, toldOrg } from '../../notifications/channel-routes.ts';
import { readEscalation, setEscalation } from '../../notifications/escalation-routes.ts';
import type { DashboardDeps } from './deps.ts';
import { escalationFields, escalationForm, policyOf } from './escalation-form.ts';
import { sendDashboard } from './layout.ts';
import { memberForm, memberPage, NOTHING } from './member-page.ts';

export const ESCALATION_PATH = '/dashboard/escalation';

const SEVERITIES = {
  critical: 'Outages of prod, and what people report',
  warning: 'Outages of other environments',
} as const satisfies Readonly<Record<OutageSeverity, string>>;

/** Whom an org has told of outages, step by step, and where its admins say that. */
export function escalationPages(deps: DashboardDeps): readonly Route[] {
  return [showPage(deps), editPage(deps), ...formRoutes(deps)];
}

function showPage(deps: DashboardDeps): Route {
  return memberPage(deps, {
    path: ESCALATION_PATH,
    summary: 'A page that says who is told of outages while nobody acknowledges them',
    params: NOTHING,
    query: orgQuery,
    show: async ({ query }, caller) => {
      if (!mayAct(caller)) throw new FairleadError('FORBIDDEN', 'Who is told of outages is for members of the org');
      const policies = await readEscalation(deps, caller, toldOrg(caller, query.org));
      const isAdmin = admits(CHANNEL_ADMINS, caller);
      const part = (severity: OutageSeverity): Html => html`<h2>${SEVERITIES[severity]}</h2>
${policyList(policies[severity])}${isAdmin && changeLinks(severity, query.org, policies[severity] !== null)}`;
      return sendDashboard(
        'Escalation',
        html`<p>Who is told of an outage, step by step, while nobody acknowledges it.${!isAdmin && ' Admins change it.'}</p>
${OUTAGE_SEVERITIES.map(part)}`,
      );
    },
  });
}

function changeLinks(severity: OutageSeverity, org: string | undefined, isSet: boolean): Html {
  return html`<p><a href="${pathOf(`/${severity}`, org)}">Change who is told of ${severity} outages</a></p>
${isSet && html`<form method="post" action="${ESCALATION_PATH}/${severity}/end">${orgField(org)}<button class="second small">Tell every channel at once</button></form>`}`;
}

function editPage(deps: DashboardDeps): Route {
  return memberPage(deps, {
    path: `${ESCALATION_PATH}/:severity`,
    summary: 'A page on which admins say who is told of outages, and when',
    params: severityParams,
    query: orgQuery,
    show: async ({ params: { severity }, query }, caller) => {
      if (!admits(CHANNEL_ADMINS, caller)) {
        throw new FairleadError('FORBIDDEN', 'Who is told of outages is for admins of the org to say');
      }
      const org = toldOrg(caller, query.org);
      const [policies, channels] = await Promise.all([deps.escalations.find(org), deps.channels.list(org)]);
      return sendDashboard(
        SEVERITIES[severity],
        html`<p>The first step is told at once, each later one while nobody has acknowledged the outage. A step without a channel is none. Incidents that are open keep what they began with.</p>
<form method="post" action="${ESCALATION_PATH}/${severity}">${orgField(query.org)}${escalationFields(policies[severity], channels)}</form>
<p><a href="${pathOf('', query.org)}">Leave it as it is</a></p>`,
      );
    },
  });
}

function formRoutes(deps: DashboardDeps): readonly Route[] {
  const row = { params: severityParams, callers: CHANNEL_ADMINS } as const;
  return [
    memberForm(deps, {
      ...{ ...row, path: `${ESCALATION_PATH}/:severity`, body: escalationForm },
      summary: 'Sets a policy of escalation from its page',
      send: async ({ params: { severity }, body }, caller, context) => {
        const told = { org: toldOrg(caller, body.org), severity, policy: policyOf(body) };
        await setEscalation(deps, context, caller, told);
        return pathOf('', body.org);
      },
    }),
    memberForm(deps, {
      ...{ ...row, path: `${ESCALATION_PATH}/:severity/end`, body: orgQuery },
      summary: 'Removes a policy of escalation from its page',
      send: async ({ params: { severity }, body }, caller, context) => {
        await setEscalation(deps, context, caller, { org: toldOrg(caller, body.org), severity, policy: null });
        return pathOf('', body.org);
      },
    }),
  ];
}

/** The platform says of whom: of an org, or of the operators. */
const pathOf = (end: string, org: string | undefined): string =>
  ESCALATION_PATH + end + (org === undefined ? '' : `?${new URLSearchParams({ org })}`);
const orgField = (org: string | undefined): Html | false =>
  org !== undefined && html`<input type="hidden" name="org" value="${org}">`;

function policyList(policy: EscalationView['critical']): Html {
  if (policy === null) return html`<p class="quiet">Every channel is told at once.</p>`;
  const { steps, repeat } = policy;
  const again =
    repeat !== null &&
    html`<p>All of it is told ${repeat.times === 1 ? 'once more' : `${repeat.times} times more`}, ${minutesText(repeat.waitMinutes)} after the last step.</p>`;
  return html`<ol class="rows">${steps.map(
    ({
      waitMinutes,
      channels,
    }) => html`<li><div><strong>${waitMinutes === 0 ? 'At once' : `${minutesText(waitMinutes)} later`}</strong>
<span>${namesOf(channels)}</span></div></li>`,
  )}</ol>${again}`;
}

/** On the page of an incident that is escalated, who was told when. */
export async function toldSection(deps: DashboardDeps, caller: Caller, incident: Incident): Promise<Html | null> {
  const { escalation, org } = incident;
  if (escalation === undefined) return null;
  const nameOf = nameChannels(await deps.channels.list(org), admits(CHANNEL_ADMINS, caller));
  const due = dueStep(toIncidentView(incident));
  const length = escalation.policy.steps.length;
  const step = ({ at, channelIds, step: number }: ToldStep, index: number): Html => html`<li><div>
<strong>${stepName(number, length)}</strong> ${channelIds.length === 0 ? 'nobody: the org has no channel' : namesOf(channelIds.map(nameOf))}
<span class="quiet">${momentOf(at)}${passedOver(escalation, index) > 0 && ', as a step had no channel left'}</span></div></li>`;
  return html`<h2>Who was told</h2><ol class="rows">${escalation.told.map(step)}</ol>
${due !== null && html`<p>${stepName(due.step, length)} is told at ${momentOf(new Date(due.at))}, unless somebody acknowledges it.</p>`}`;
}

/** Repeats begin with the first step again. */
function stepName(number: number, length: number): string {
  const round = Math.floor(number / length);
  return `Step ${(number % length) + 1}${round === 0 ? '' : `, repeat ${round}`}`;
}

function namesOf(channels: readonly NamedChannel[]): string {
  return channels
    .map(({ id, kind, where, state }) => {
      const name = `${kind ?? 'a channel'} ${where ?? id}`;
      return state === 'active' ? name : `${name} (${state})`;
    })
    .join(', ');
}

function minutesText(minutes: number): string {
  return durationText(minutes * 60_000);
}
