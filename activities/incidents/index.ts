import { isRetryable } from '../../domain/errors.ts';
import { type IncidentEvent, incidentNotice } from '../../domain/incidents/incident-notice.ts';
import { fromIncidentView, type IncidentView, toIncidentView } from '../../domain/incidents/incident-view.ts';
import { type EscalationSources, planEscalations } from '../../domain/incidents/plan-escalations.ts';
import type { IncidentStore } from '../../domain/incidents/ports.ts';
import type { MonitorStore } from '../../domain/monitors/ports.ts';
import type { Outbox } from '../../domain/notifications/ports.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import { type EscalationLook, lookAtEscalation } from './look-at-escalation.ts';
import { type ResumeEscalationsDeps, resumeEscalations } from './resume-escalations.ts';

export interface IncidentsActivityDeps extends EscalationSources, Omit<ResumeEscalationsDeps, 'incidents'> {
  readonly incidents: Pick<IncidentStore, 'find' | 'list' | 'insert' | 'put'>;
  readonly monitors: Pick<MonitorStore, 'find'>;
  readonly outbox: Pick<Outbox, 'tell'>;
  /** Tells those who read it on a status page. Idempotent by the incident and the event. */
  readonly tellPage: (told: IncidentTold) => Promise<void>;
}

export interface IncidentTold {
  readonly incident: IncidentView;
  readonly event: IncidentEvent;
  readonly turn: number;
  /** ISO */
  readonly at: string;
}

/** What the workflow of an incident does. All of it is found by the id of the incident. */
export function createIncidentsActivities(deps: IncidentsActivityDeps) {
  const { incidents, outbox } = deps;
  return {
    /**
     * Writes it with the escalation that its org has for it. Idempotent: an incident of that id that is on record stays as it is.
     * @param at when it is told, ISO
     * @returns the one on record
     */
    async openIncident(incident: IncidentView, at = incident.startedAt): Promise<IncidentView> {
      const [planned = incident] = await planEscalations(deps, [incident], at);
      await incidents.insert(fromIncidentView(planned));
      const known = await incidents.find(incident.id);
      return known === null ? planned : toIncidentView(known);
    },
    /** Null where there is none on record. */
    async findIncident(id: string): Promise<IncidentView | null> {
      const known = await incidents.find(id);
      return known === null ? null : toIncidentView(known);
    },
    /** It changes nothing. */
    lookAtEscalation: (look: EscalationLook) => lookAtEscalation(deps, look),
    /** Idempotent: writes the whole, unless it is on record with as many changes. */
    putIncident: (incident: IncidentView): Promise<void> => incidents.put(fromIncidentView(incident)),
    resumeEscalations: () => whileHeartbeating((signal) => resumeEscalations(deps, signal)),
    /** Idempotent by the ids of the notices. Who answers for it is told before who reads of it. */
    async tellIncident(told: IncidentTold): Promise<void> {
      await outbox.tell(incidentNotice(told.incident, told));
      await tellReaders(deps, told);
    },
  };
}

/**
 * What another attempt may mend, such as a database that is away, is tried again. Anything else is the page's alone: it is in the log, and
 * the incident goes on. @throws UNAVAILABLE (retryable)
 */
async function tellReaders({ tellPage, warn }: IncidentsActivityDeps, told: IncidentTold): Promise<void> {
  try {
    await tellPage(told);
  } catch (err) {
    if (isRetryable(err)) throw err;
    const { id: incidentId, org } = told.incident;
    warn({ err, org, incidentId }, 'the subscribers of a status page cannot be told of an incident');
  }
}

export type IncidentsActivities = ReturnType<typeof createIncidentsActivities>;
