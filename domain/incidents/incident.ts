import type { OutageSeverity } from '../notifications/escalation.ts';
import type { Escalation } from './escalation.ts';

/** `acknowledged`: a person is at it. */
export const INCIDENT_STATES = ['open', 'acknowledged', 'resolved'] as const;
export type IncidentState = (typeof INCIDENT_STATES)[number];

/** As pages of other houses name the steps of an incident. */
export const UPDATE_STATES = ['investigating', 'identified', 'monitoring', 'resolved'] as const;

export interface IncidentUpdate {
  readonly at: Date;
  readonly status: (typeof UPDATE_STATES)[number];
  /** Plain text. */
  readonly body: string;
  /** The person; null: the monitor itself. */
  readonly by: string | null;
}

/** An outage: one for each (monitor, sequence), or one that a person wrote. */
export interface Incident {
  /** As {@link incidentId} writes it; `inc_…` for one that a person wrote. */
  readonly id: string;
  readonly org: string | null;
  /** Null for one that a person wrote. */
  readonly monitorId: string | null;
  readonly sequence: number | null;
  readonly title: string;
  /** Whether the public status page shows it. */
  readonly isPublic: boolean;
  readonly state: IncidentState;
  readonly startedAt: Date;
  readonly acknowledged: { readonly at: Date; readonly by: string } | null;
  readonly resolvedAt: Date | null;
  /** True while the monitor flaps: single changes are not told. */
  readonly flapping: boolean;
  /** What the check saw, in a sentence. */
  readonly cause: string | null;
  /** How urgent it is: an outage outside prod is a warning. Those of earlier versions have none, and are critical. */
  readonly severity?: OutageSeverity | undefined;
  /** None where its org had no policy for it when it began: then every channel is told of all of it. */
  readonly escalation?: Escalation | undefined;
  /** Oldest first; at most {@link MOST_UPDATES}. */
  readonly updates: readonly IncidentUpdate[];
  /** How many changes it has had: what is written late, with fewer, changes nothing. */
  readonly changes: number;
}

export const MOST_UPDATES = 100;
export const MOST_UPDATE_CHARACTERS = 2_000;

/** Of the outage of a monitor that its `down` transition began. */
export function incidentId(monitorId: string, sequence: number): string {
  return `inc_${monitorId.replace(/^mon_/, '')}_${sequence}`;
}
