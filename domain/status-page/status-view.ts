import type { Environment } from '../environment.ts';
import type { IncidentUpdate } from '../incidents/incident.ts';
import type { MonitorState } from '../monitors/condition.ts';

/** What a status page says now: read once, and drawn as a page, as JSON or as badges. */
export interface StatusView {
  /** Slug of the org whose page it is. */
  readonly org: string;
  /** When it was read: a page that is kept says so. */
  readonly asOf: Date;
  /** By group and name. */
  readonly components: readonly StatusComponent[];
  /** Those that are not resolved, newest first. */
  readonly open: readonly StatusIncident[];
  /** Those that are resolved, newest first: {@link PAST_DAYS} of them. */
  readonly past: readonly StatusIncident[];
  /** Times of maintenance of components, by their beginnings: the first {@link MOST_MAINTENANCES} that are not over for long. */
  readonly maintenances: readonly StatusMaintenance[];
}

/** Days of resolved incidents on a page. */
export const PAST_DAYS = 14;
/** Of maintenance: so many days back and ahead. */
export const MAINTENANCE_DAYS = { back: 3, ahead: 60 } as const;
export const MOST_MAINTENANCES = 100;
/** Days of bars. */
export const SHOWN_DAYS = 90;

/** A monitor as the public sees it. */
export interface StatusComponent {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  /** Components of a group stand together, such as those of one environment. */
  readonly group: string;
  /** By which the registry knows the service, whose changelog is shown; null for what is not deployed here. */
  readonly service: string | null;
  readonly state: MonitorState;
  /** Since when it is in this state, or was last changed. */
  readonly since: Date;
  readonly createdAt: Date;
}

/** How a component was in the last {@link SHOWN_DAYS} days. */
export interface ComponentHistory {
  /** Share of the time that it was up, 0 to 1; null where nothing is known. */
  readonly uptime: number | null;
  /** Share of the asked time of which something is known, 0 to 1. */
  readonly coverage: number;
  /** Oldest first, without a gap. */
  readonly days: readonly DayBar[];
}

/** A day of a component. `none`: nothing is known of it. */
export type DayState = 'up' | 'degraded' | 'maintenance' | 'down' | 'none';

export interface DayBar {
  /** UTC, such as `2026-11-26`. */
  readonly day: string;
  readonly state: DayState;
}

/** An incident without what concerns nobody outside: who acted, and what a check saw. */
export interface StatusIncident {
  readonly id: string;
  readonly title: string;
  /** Of an outage that was observed `major`, of what a person wrote `minor`. */
  readonly impact: 'minor' | 'major';
  readonly status: IncidentUpdate['status'];
  readonly startedAt: Date;
  readonly resolvedAt: Date | null;
  /** Ids of components. */
  readonly components: readonly string[];
  /** The newest few, newest first, each cut. */
  readonly updates: readonly Omit<IncidentUpdate, 'by'>[];
}

/** A time in which a component may fail, without what members noted of it. */
export interface StatusMaintenance {
  /** Of the component. */
  readonly component: string;
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}
