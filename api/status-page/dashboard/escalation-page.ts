import { FairleadError } from '../../../domain/errors.ts';
import { dueStep, passedOver, type ToldStep } from '../../../domain/incidents/escalation.ts';
import type { Incident } from '../../../domain/incidents/incident.ts';
import { toIncidentView } from '../../../domain/incidents/incident-view.ts';
import {
  type EscalationView,
  type NamedChannel,
  nameChannels,
} from '../../../domain/notifications/escalation-reply.ts';
import { admits } from '../../http/allowed-callers.ts';
import type { Caller } from '../../http/caller.ts';
import type { Route } from '../../http/define-route.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { durationText, momentOf } from '../../http/pages/time-words.ts';
import { mayAct } from '../../monitors/monitor-callers.ts';
import { CHANNEL_ADMINS, orgQuery, toldOrg } from '../../notifications/channel-routes.ts';
import { readEscalation } from '../../notifications/escalation-routes.ts';
import type { DashboardDeps } from './deps.ts';
import { sendDashboard } from './layout.ts';
import { memberPage, NOTHING } from './member-page.ts';

export const ESCALATION_PATH = '/dashboard/escalation';

/** Whom an org has told of outages, step by step. */
export function escalationPage(deps: DashboardDeps): Route {
  return memberPage(deps, {
    path: ESCALATION_PATH,
    summary: 'A page that says who is told of outages while nobody acknowledges them',
    params: NOTHING,
    query: orgQuery,
    show: async ({ query }, caller) => {
      if (!mayAct(caller)) throw new FairleadError('FORBIDDEN', 'Who is told of outages is for members of the org');
      const { critical, warning } = await readEscalation(deps, caller, toldOrg(caller, query.org));
      return sendDashboard(
        'Escalation',
        html`<p>Who is told of an outage, step by step, while nobody acknowledges it. Admins change it: <code>fairlead alerts escalate</code></p>
<h2>Outages of prod, and what people report</h2>
${policyList(critical)}
<h2>Outages of other environments</h2>
${policyList(warning)}`,
      );
    },
  });
}

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
