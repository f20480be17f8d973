import type { Notification, NotificationKind } from '../notifications/notification.ts';
import { passedOver, toldChannels } from './escalation.ts';
import type { IncidentView } from './incident-view.ts';

/** What of an incident is told. Each has an id of its own in the notice's, so that it is told once. */
export type IncidentEvent = 'opened' | 'escalated' | 'acknowledged' | 'updated' | 'flapping' | 'steady' | 'resolved';

const KINDS: Readonly<Record<IncidentEvent, NotificationKind>> = {
  opened: 'incident.opened',
  escalated: 'incident.escalated',
  acknowledged: 'incident.acknowledged',
  updated: 'incident.updated',
  flapping: 'monitor.flapping',
  steady: 'monitor.steady',
  resolved: 'incident.resolved',
};

interface Told {
  readonly event: IncidentEvent;
  /** How many events of the kind there were, this one included: an incident may flap more than once. */
  readonly turn: number;
  /** ISO */
  readonly at: string;
}

/**
 * The notice of something that happened to an incident. One that is escalated is told to the channels of its steps: to those of the step
 * itself, and all else to every channel that was told of it.
 */
export function incidentNotice(incident: IncidentView, { event, turn, at }: Told): Notification {
  const only = audienceOf(incident, { event, turn });
  return {
    id: `${incident.id}/${event}${turn > 1 ? `-${turn}` : ''}`,
    kind: KINDS[event],
    org: incident.org,
    subject: subjectOf(incident, event),
    text: textOf(incident, { event, turn, at }),
    ...(only !== null && { only }),
    ...(isWritten(incident, event) && { isWritten: true }),
    urgency: incident.severity ?? 'critical',
    data: {
      incidentId: incident.id,
      monitorId: incident.monitorId,
      title: incident.title,
      state: incident.state,
      startedAt: incident.startedAt,
      resolvedAt: incident.resolvedAt,
      cause: incident.cause,
    },
    at: new Date(at),
  };
}

/** Null: every channel of the org. */
function audienceOf(
  { escalation }: IncidentView,
  { event, turn }: Pick<Told, 'event' | 'turn'>,
): readonly string[] | null {
  if (escalation === undefined) return null;
  const step = stepOf({ event, turn });
  return step === null ? toldChannels(escalation) : (escalation.told[step]?.channelIds ?? []);
}

/** The index of the step that a notice tells, among those that were told; null for what is no step. */
function stepOf({ event, turn }: Pick<Told, 'event' | 'turn'>): number | null {
  if (event === 'opened') return 0;
  return event === 'escalated' ? turn : null;
}

/** Whether a person's words are in it: an incident that no check has found, and the note of who ends one. */
function isWritten({ monitorId, updates }: IncidentView, event: IncidentEvent): boolean {
  switch (event) {
    case 'opened':
      return monitorId === null;
    case 'updated':
      return true;
    case 'resolved':
      return (updates.at(-1)?.by ?? null) !== null;
    default:
      return false;
  }
}

function subjectOf({ title }: IncidentView, event: IncidentEvent): string {
  const words: Readonly<Record<IncidentEvent, string>> = {
    opened: `Down: ${title}`,
    escalated: `Not acknowledged: ${title}`,
    acknowledged: `Acknowledged: ${title}`,
    updated: `Update: ${title}`,
    flapping: `Flapping: ${title}`,
    steady: `No longer flapping: ${title}`,
    resolved: `Resolved: ${title}`,
  };
  return words[event];
}

function textOf(incident: IncidentView, told: Told): string {
  const { event, at } = told;
  const { title, cause, startedAt, resolvedAt, acknowledged } = incident;
  const since = `since ${startedAt}`;
  const latest = incident.updates.at(-1)?.body ?? '';
  const seen = cause === null ? [] : [`What was seen: ${cause}`];
  switch (event) {
    case 'opened':
      return [`${title} is down ${since}.`, ...seen, ...unreached(incident, told)].join('\n');
    case 'escalated': {
      const minutes = Math.floor((Date.parse(at) - Date.parse(startedAt)) / 60_000);
      const first = `${title} is down ${since}, and nobody has acknowledged it for ${minutes} minutes.`;
      const remedy = `Whoever is at it says so: fairlead incidents acknowledge ${incident.id}`;
      return [first, ...seen, ...unreached(incident, told), remedy].join('\n');
    }
    case 'acknowledged':
      return `${acknowledged?.by ?? 'Somebody'} is at it: ${title}, down ${since}.`;
    case 'updated':
      return `${title}, ${since}.\n\n${latest}`;
    case 'flapping':
      return `${title} goes down and up again and again, ${since}. Single changes are not told until it is steady.`;
    case 'steady':
      return `${title} is steady again.`;
    case 'resolved':
      return `${title} is resolved: down from ${startedAt} to ${resolvedAt ?? 'now'}.\n\n${latest}`;
  }
}

/** Why somebody is told who is named by no step, or earlier than it says. */
function unreached({ escalation }: IncidentView, told: Told): readonly string[] {
  const step = stepOf(told);
  if (escalation === undefined || step === null || passedOver(escalation, step) === 0) return [];
  return ['You are told now because a step of the escalation has no channel left: fairlead alerts escalation'];
}
