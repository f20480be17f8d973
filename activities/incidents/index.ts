import { type IncidentEvent, incidentNotice } from '../../domain/incidents/incident-notice.ts';
import { fromIncidentView, type IncidentView, toIncidentView } from '../../domain/incidents/incident-view.ts';
import type { IncidentStore } from '../../domain/incidents/ports.ts';
import type { Outbox } from '../../domain/notifications/ports.ts';

export interface IncidentsActivityDeps {
  readonly incidents: Pick<IncidentStore, 'find' | 'put'>;
  readonly outbox: Pick<Outbox, 'tell'>;
}

export interface IncidentTold {
  readonly incident: IncidentView;
  readonly event: IncidentEvent;
  readonly turn: number;
  /** ISO */
  readonly at: string;
}

/** What the workflow of an incident does. All of it is found by the id of the incident. */
export function createIncidentsActivities({ incidents, outbox }: IncidentsActivityDeps) {
  return {
    /** Idempotent: an incident of that id that is on record stays as it is. @returns the one on record */
    async openIncident(incident: IncidentView): Promise<IncidentView> {
      const known = await incidents.find(incident.id);
      if (known !== null) return toIncidentView(known);
      await incidents.put(fromIncidentView(incident));
      return incident;
    },
    /** Idempotent: writes the whole. */
    putIncident: (incident: IncidentView): Promise<void> => incidents.put(fromIncidentView(incident)),
    /** Idempotent by the id of the notice. */
    tellIncident: ({ incident, ...told }: IncidentTold): Promise<void> => outbox.tell(incidentNotice(incident, told)),
  };
}

export type IncidentsActivities = ReturnType<typeof createIncidentsActivities>;
