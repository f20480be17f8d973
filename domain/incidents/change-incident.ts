import type { ToldStep } from './escalation.ts';
import { MOST_UPDATES } from './incident.ts';
import type { IncidentView } from './incident-view.ts';
import type { Acknowledgement, IncidentStart, PostedUpdate, Resolution } from './messages.ts';

/** What happens to an incident, in the order in which its workflow hears of it. */
export type IncidentChange =
  | { readonly kind: 'acknowledged'; readonly acknowledgement: Acknowledgement }
  | { readonly kind: 'updated'; readonly update: PostedUpdate }
  | { readonly kind: 'flapped'; readonly isFlapping: boolean }
  | { readonly kind: 'escalated'; readonly told: ToldStep<string> }
  | { readonly kind: 'resolved'; readonly resolution: Resolution };

export function openedIncident(start: IncidentStart): IncidentView {
  const body = start.monitorId === null ? (start.cause ?? start.title) : 'The monitor found it down.';
  return {
    ...start,
    ...{ state: 'open', acknowledged: null, resolvedAt: null, flapping: false, changes: 0 },
    updates: [{ at: start.startedAt, status: 'investigating', body, by: null }],
  };
}

/** The incident after a change; the same one where it changes nothing, as after its end. */
export function changedIncident(incident: IncidentView, change: IncidentChange): IncidentView {
  const next = afterChange(incident, change);
  // One that an earlier version carries has no count.
  return next === incident ? incident : { ...next, changes: (incident.changes ?? 0) + 1 };
}

function afterChange(incident: IncidentView, change: IncidentChange): IncidentView {
  if (incident.state === 'resolved') return incident;
  switch (change.kind) {
    case 'acknowledged':
      if (incident.acknowledged !== null) return incident;
      return { ...incident, state: 'acknowledged', acknowledged: change.acknowledgement };
    case 'updated':
      return withUpdate(incident, change.update);
    case 'flapped':
      return incident.flapping === change.isFlapping ? incident : { ...incident, flapping: change.isFlapping };
    case 'escalated': {
      const { escalation } = incident;
      if (incident.acknowledged !== null || escalation === undefined) return incident;
      return { ...incident, escalation: { ...escalation, told: [...escalation.told, change.told] } };
    }
    case 'resolved': {
      const { at, by, note } = change.resolution;
      const body = note ?? (by === null ? 'The monitor found it up again.' : 'It is resolved.');
      const told = withUpdate(incident, { at, status: 'resolved', body, by });
      return { ...told, state: 'resolved', resolvedAt: at, flapping: false };
    }
  }
}

/** The first update says how it began, so it is kept. */
function withUpdate(incident: IncidentView, update: PostedUpdate): IncidentView {
  const [first, ...others] = incident.updates;
  const kept = [...others, update].slice(-(MOST_UPDATES - 1));
  return { ...incident, updates: first === undefined ? kept : [first, ...kept] };
}
