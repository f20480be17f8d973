import type { Incident, IncidentUpdate } from './incident.ts';

/** Names, ids and message types of the workflows of incidents. */

export const INCIDENT_WORKFLOWS = { runIncident: 'runIncident', resumeEscalations: 'resumeEscalations' } as const;

export const incidentWorkflowId = (id: string): string => `incident/${id}`;

/** How an incident begins. Times are ISO. */
export type IncidentStart = Pick<
  Incident,
  'id' | 'org' | 'monitorId' | 'sequence' | 'title' | 'isPublic' | 'cause' | 'severity'
> & {
  readonly startedAt: string;
};

/** One that is on record as open, and whose workflow has not begun yet, or is gone: it is begun with what is on record. */
export interface KnownIncident {
  readonly id: string;
  readonly isKnown: true;
}

export const INCIDENT_SIGNALS = {
  /** {@link Acknowledgement} */
  acknowledged: 'incidentAcknowledged',
  /** {@link PostedUpdate} */
  updated: 'incidentUpdated',
  /** {@link Resolution} */
  resolved: 'incidentResolved',
  /** boolean: whether the monitor flaps. */
  flapped: 'incidentFlapped',
} as const;

export interface Acknowledgement {
  readonly by: string;
  readonly at: string;
}
export type PostedUpdate = Omit<IncidentUpdate, 'at'> & { readonly at: string };
export interface Resolution {
  readonly at: string;
  /** Null: the monitor itself. */
  readonly by: string | null;
  readonly note: string | null;
}

/** The way to the workflows. @throws UNAVAILABLE (retryable) where Temporal does not answer */
export interface IncidentCommands {
  /** Idempotent by the id: an incident that began, or ended, is left as it is. */
  begin(start: IncidentStart): Promise<void>;
  /** Where its workflow has not begun yet, it begins. Of one that is on no record nothing happens. @throws INCIDENT_NOT_FOUND when it has ended */
  acknowledge(id: string, acknowledgement: Acknowledgement): Promise<void>;
  update(id: string, update: PostedUpdate): Promise<void>;
  /** Also where its workflow is gone: one that is on record as open ends. What has ended, or is on no record, is left as it is. */
  resolve(id: string, resolution: Resolution): Promise<void>;
  markFlapping(id: string, isFlapping: boolean): Promise<void>;
  /** Begins its workflow once more, with what is on record, where that is gone. One that runs, or came to its end, is left as it is. */
  goOn(id: string): Promise<void>;
}
