import { eachItem } from '../each-item.ts';
import type { Incident } from '../incidents/incident.ts';
import type { IncidentFilter, IncidentStore } from '../incidents/ports.ts';
import { stateOf } from '../monitors/condition.ts';
import type { Monitor } from '../monitors/monitor.ts';
import { shownSince, type WatchedMonitor } from '../monitors/monitor-view.ts';
import type { ConditionStore, MonitorHistory, MonitorStore } from '../monitors/ports.ts';
import { maintenanceWithin } from '../monitors/recurring-maintenance.ts';
import { customDomainOf } from '../monitors/registration.ts';
import type { PageRequest } from '../page.ts';
import { dayBarsOf } from './day-states.ts';
import { publicIncident, SHOWN_UPDATES } from './incident-view.ts';
import {
  type ComponentHistory,
  MAINTENANCE_DAYS,
  MOST_MAINTENANCES,
  PAST_DAYS,
  SHOWN_DAYS,
  type StatusComponent,
  type StatusIncident,
  type StatusMaintenance,
  type StatusView,
} from './status-view.ts';

/** What a status page is read of. */
export interface StatusSources {
  readonly monitors: Pick<MonitorStore, 'find' | 'list'>;
  readonly conditions: Pick<ConditionStore, 'find'>;
  readonly history: Pick<MonitorHistory, 'uptime' | 'days'>;
  readonly incidents: Pick<IncidentStore, 'list'>;
}

const MOST_INCIDENTS = 20;
const MOST_READ = 1_000;
/** Twice as many as are shown: hardly an org hides more. */
const READ_AT_ONCE = 2 * MOST_INCIDENTS;
const DAY_MS = 86_400_000;
const CONDITIONS_AT_ONCE = 200;

/** Which monitors are read: of an org, or of all with null; and whether those alone that the public sees. */
export interface StatusScope {
  readonly org: string | null;
  readonly publicOnly: boolean;
}

/** Everything of a status page but its history. @throws UNAVAILABLE */
export async function readStatus(sources: StatusSources, scope: StatusScope, now: Date): Promise<StatusView> {
  const { components, maintenances } = await readComponents(sources, scope, now);
  const shown = new Map(components.map((component) => [component.id, component] as const));
  const since = new Date(now.getTime() - PAST_DAYS * DAY_MS);
  const [open, past] = await Promise.all([
    readIncidents(sources, { ...scope, open: true }, (incident) => publicIncident(incident, shown)),
    readIncidents(sources, { ...scope, open: false }, (incident) =>
      (incident.resolvedAt ?? now) < since ? null : publicIncident(incident, shown),
    ),
  ]);
  return { org: scope.org ?? '', asOf: now, components, open, past, maintenances };
}

/** The newest that are shown. Of an org that shows hardly any, no more than {@link MOST_READ} are looked through. */
async function readIncidents(
  { incidents }: Pick<StatusSources, 'incidents'>,
  filter: IncidentFilter,
  show: (incident: Incident) => StatusIncident | null,
): Promise<readonly StatusIncident[]> {
  const found: StatusIncident[] = [];
  let read = 0;
  const list = ({ cursor }: PageRequest) =>
    incidents.list(filter, { cursor, limit: READ_AT_ONCE }, { newestUpdates: SHOWN_UPDATES });
  for await (const incident of eachItem(list)) {
    const shown = show(incident);
    if (shown !== null) found.push(shown);
    read += 1;
    if (found.length === MOST_INCIDENTS || read === MOST_READ) break;
  }
  return found;
}

async function readComponents(
  { monitors, conditions }: StatusSources,
  scope: StatusScope,
  now: Date,
): Promise<Pick<StatusView, 'components' | 'maintenances'>> {
  const components: StatusComponent[] = [];
  let maintenances: readonly StatusMaintenance[] = [];
  const batch: Monitor[] = [];
  const take = async (): Promise<void> => {
    const found = await conditions.find(batch.map(({ id }) => id));
    components.push(...batch.map((monitor) => componentOf({ monitor, condition: found.get(monitor.id) ?? null }, now)));
    maintenances = firstOf([...maintenances, ...batch.flatMap((monitor) => maintenancesOf(monitor, now))]);
    batch.length = 0;
  };
  for await (const monitor of eachItem((page) => monitors.list({ ...scope, archived: false }, page))) {
    batch.push(monitor);
    if (batch.length === CONDITIONS_AT_ONCE) await take();
  }
  if (batch.length > 0) await take();
  const order = ({ group, name, id }: StatusComponent): string => `${groupRank(group)}\0${name}\0${id}`;
  return { components: components.sort((one, other) => (order(one) < order(other) ? -1 : 1)), maintenances };
}

/** What everybody may know of the maintenance of a monitor. */
function maintenancesOf(monitor: Monitor, now: Date): readonly StatusMaintenance[] {
  const at = (days: number): Date => new Date(now.getTime() + days * DAY_MS);
  const windows = maintenanceWithin(monitor, at(-MAINTENANCE_DAYS.back), at(MAINTENANCE_DAYS.ahead));
  return windows.map(({ from, to }) => ({ component: monitor.id, name: nameOf(monitor), from, to }));
}

function firstOf(maintenances: readonly StatusMaintenance[]): readonly StatusMaintenance[] {
  const order = ({ from, component }: StatusMaintenance): string => `${from.toISOString()} ${component}`;
  return maintenances.toSorted((one, other) => (order(one) < order(other) ? -1 : 1)).slice(0, MOST_MAINTENANCES);
}

const GROUPS = { prod: 'Production', sandbox: 'Sandbox', uat: 'UAT' } as const;

const groupRank = (group: string): number => Object.values<string>(GROUPS).indexOf(group);

/** A monitor as the public sees it. */
export function componentOf(watched: WatchedMonitor, now: Date): StatusComponent {
  const { monitor, condition } = watched;
  const state = stateOf(monitor, condition, now);
  return {
    id: monitor.id,
    name: nameOf(monitor),
    environment: monitor.environment,
    group: GROUPS[monitor.environment],
    service: monitor.unmanaged ? null : monitor.serviceName,
    state,
    since: shownSince(watched, state, now),
    createdAt: monitor.createdAt,
  };
}

/**
 * The service; of one of its custom domains, that domain. Of what is not deployed here the address is nobody's business: it
 * may be one of the inside.
 */
export function nameOf(monitor: Monitor): string {
  const { serviceName, unmanaged } = monitor;
  return unmanaged ? serviceName : (customDomainOf(monitor) ?? serviceName);
}

/** Whether a status page shows a deployed service of that name. */
export async function showsService(
  { monitors }: Pick<StatusSources, 'monitors'>,
  serviceName: string,
): Promise<boolean> {
  const filter = { org: null, publicOnly: true, archived: false, serviceName };
  for await (const { unmanaged } of eachItem((page) => monitors.list(filter, page))) if (!unmanaged) return true;
  return false;
}

/** How components were. @param ids of those that are shown: each is a read */
export async function readHistories(
  { history }: Pick<StatusSources, 'history'>,
  ids: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, ComponentHistory>> {
  const uptimes = await history.uptime(ids, SHOWN_DAYS, now);
  const days = await Promise.all(ids.map((id) => history.days(id, SHOWN_DAYS, now)));
  return new Map(
    ids.map((id, index) => {
      const { ratio = null, coverage = 0 } = uptimes.get(id) ?? {};
      return [id, { uptime: ratio, coverage, days: dayBarsOf(days[index] ?? [], SHOWN_DAYS, now) }] as const;
    }),
  );
}
