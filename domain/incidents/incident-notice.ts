import type { Notification, NotificationKind } from '../notifications/notification.ts';
import type { IncidentView } from './incident-view.ts';

/** What of an incident is told. Each has an id of its own in the notice's, so that it is told once. */
export type IncidentEvent = 'opened' | 'acknowledged' | 'updated' | 'flapping' | 'steady' | 'resolved';

const KINDS: Readonly<Record<IncidentEvent, NotificationKind>> = {
  opened: 'incident.opened',
  acknowledged: 'incident.acknowledged',
  updated: 'incident.updated',
  flapping: 'monitor.flapping',
  steady: 'monitor.steady',
  resolved: 'incident.resolved',
};

/**
 * The notice of something that happened to an incident.
 * @param turn how many events of the kind there were, this one included: an incident may flap more than once
 */
export function incidentNotice(
  incident: IncidentView,
  { event, turn, at }: { readonly event: IncidentEvent; readonly turn: number; readonly at: string },
): Notification {
  return {
    id: `${incident.id}/${event}${turn > 1 ? `-${turn}` : ''}`,
    kind: KINDS[event],
    org: incident.org,
    subject: subjectOf(incident, event),
    text: textOf(incident, event),
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
    acknowledged: `Acknowledged: ${title}`,
    updated: `Update: ${title}`,
    flapping: `Flapping: ${title}`,
    steady: `No longer flapping: ${title}`,
    resolved: `Resolved: ${title}`,
  };
  return words[event];
}

function textOf(incident: IncidentView, event: IncidentEvent): string {
  const { title, cause, startedAt, resolvedAt, acknowledged } = incident;
  const since = `since ${startedAt}`;
  const latest = incident.updates.at(-1)?.body ?? '';
  switch (event) {
    case 'opened':
      return [`${title} is down ${since}.`, ...(cause === null ? [] : [`What was seen: ${cause}`])].join('\n');
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
