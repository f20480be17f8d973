import { overallStatus, STATE_WORDS } from './overall-status.ts';
import type { StatusComponent, StatusIncident, StatusView } from './status-view.ts';
import type { StatuspageSummary } from './statuspage-schema.ts';

type Component = StatuspageSummary['components'][number];
type Incident = StatuspageSummary['incidents'][number];

export interface StatuspagePlace {
  readonly title: string;
  /** Address of the page, without a slash at its end; never that of a request. */
  readonly url: string;
}

/** A status page as the public JSON of Statuspage shows it, with the incidents that are not resolved. */
export function statuspageSummary(view: StatusView, place: StatuspagePlace): StatuspageSummary {
  return {
    page: {
      id: view.org,
      name: place.title,
      url: place.url,
      time_zone: 'Etc/UTC',
      updated_at: view.asOf.toISOString(),
    },
    status: { ...overallStatus(view.components) },
    components: statuspageComponents(view),
    incidents: statuspageIncidents(view, view.open, place),
    scheduled_maintenances: [],
  };
}

/** Incidents in that format, each with the components it is about. */
export function statuspageIncidents(
  view: StatusView,
  incidents: readonly StatusIncident[],
  { url }: StatuspagePlace,
): Incident[] {
  const components = statuspageComponents(view);
  return incidents.map((incident) => {
    const started = incident.startedAt.toISOString();
    return {
      ...{ id: incident.id, name: incident.title, status: incident.status, impact: incident.impact },
      ...{ created_at: started, started_at: started, monitoring_at: null },
      updated_at: (incident.updates[0]?.at ?? incident.resolvedAt ?? incident.startedAt).toISOString(),
      resolved_at: incident.resolvedAt?.toISOString() ?? null,
      shortlink: `${url}#${incident.id}`,
      page_id: view.org,
      incident_updates: updatesOf(incident),
      components: components.filter(({ id }) => incident.components.includes(id)),
    };
  });
}

function updatesOf({ id, updates }: StatusIncident): Incident['incident_updates'] {
  return updates.map(({ at, status, body }) => {
    const moment = at.toISOString();
    return {
      // Of an incident the newest alone are known, so they cannot be counted: by its time each keeps its id.
      ...{ id: `${id}-${at.getTime()}-${status}`, status, body, incident_id: id },
      ...{ created_at: moment, updated_at: moment, display_at: moment },
      ...{ affected_components: null, deliver_notifications: false },
    };
  });
}

/** Groups with their components behind them, in the order of the page. */
function statuspageComponents({ components, org }: StatusView): Component[] {
  const groups = Map.groupBy(components, ({ group }) => group);
  const listed: Component[] = [];
  const add = (component: Omit<Component, 'position' | 'page_id'>): void => {
    listed.push({ ...component, position: listed.length + 1, page_id: org });
  };
  for (const [group, members] of groups) {
    const groupId = `group-${group}`;
    add(groupOf(groupId, group, members));
    for (const member of members) add(componentOf(member, groupId));
  }
  return listed;
}

const ALIKE = { description: null, showcase: true, start_date: null, only_show_if_degraded: false } as const;

function componentOf({ id, name, state, createdAt, since }: StatusComponent, groupId: string) {
  return {
    ...{ ...ALIKE, id, name, status: STATE_WORDS[state].statuspage, group: false, group_id: groupId },
    ...{ start_date: createdAt.toISOString().slice(0, 10) },
    ...{ created_at: createdAt.toISOString(), updated_at: since.toISOString() },
  };
}

/** A group is as bad as the worst of it, and an outage of a part of it is a partial one. */
function groupOf(id: string, name: string, members: readonly StatusComponent[]) {
  const times = (of: (member: StatusComponent) => Date) => members.map((member) => of(member).getTime());
  return {
    ...{ ...ALIKE, id, name, status: groupStatus(members), group: true, group_id: null },
    components: members.map((member) => member.id),
    created_at: new Date(Math.min(...times(({ createdAt }) => createdAt))).toISOString(),
    updated_at: new Date(Math.max(...times(({ since }) => since))).toISOString(),
  };
}

function groupStatus(members: readonly StatusComponent[]): Component['status'] {
  const statuses = members.map(({ state }) => STATE_WORDS[state].statuspage);
  if (statuses.every((status) => status === 'major_outage')) return 'major_outage';
  if (statuses.includes('major_outage')) return 'partial_outage';
  const worst = (['degraded_performance', 'under_maintenance'] as const).find((status) => statuses.includes(status));
  return worst ?? 'operational';
}
