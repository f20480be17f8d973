import { type IncidentEvent, incidentNotice } from '../../domain/incidents/incident-notice.ts';
import { fromIncidentView, type IncidentView, toIncidentView } from '../../domain/incidents/incident-view.ts';
import type { IncidentStore } from '../../domain/incidents/ports.ts';
import type { Outbox } from '../../domain/notifications/ports.ts';

export interface IncidentsActivityDeps {
  readonly incidents: Pick<IncidentStore, 'find' | 'insert' | 'put'>;
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
      await incidents.insert(fromIncidentView(incident));
      const known = await incidents.find(incident.id);
      return known === null ? incident : toIncidentView(known);
    },
    /** Null where there is none on record. */
    async findIncident(id: string): Promise<IncidentView | null> {
      const known = await incidents.find(id);
      return known === null ? null : toIncidentView(known);
    },
    /** Idempotent: writes the whole, unless it is on record with as many changes. */
    putIncident: (incident: IncidentView): Promise<void> => incidents.put(fromIncidentView(incident)),
    /** Idempotent by the id of the notice. */
    tellIncident: ({ incident, ...told }: IncidentTold): Promise<void> => outbox.tell(incidentNotice(incident, told)),
  };
}

export type IncidentsActivities = ReturnType<typeof createIncidentsActivities>;
