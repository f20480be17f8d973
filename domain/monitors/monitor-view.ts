import type { z } from 'zod';
import { HIDDEN_SECRET } from '../config/sealed-secret.ts';
import { type MonitorCheck, targetOf } from './check-kinds.ts';
import { type Condition, type MonitorState, stateOf } from './condition.ts';
import type { RollUp, Uptime } from './history.ts';
import { quantileMs } from './latency-histogram.ts';
import type { Monitor } from './monitor.ts';
import { type ActiveBurn, budgetOf, type Objective } from './objective.ts';
import { maintenanceAt, nextOccurrence } from './recurring-maintenance.ts';
import type { budgetViewSchema, dayViewSchema, MonitorView, uptimeViewSchema } from './reply-schema.ts';

/** A monitor with how it is. */
export interface WatchedMonitor {
  readonly monitor: Monitor;
  readonly condition: Condition | null;
}

/** Since when a monitor is in the state that is shown. */
export function shownSince({ monitor, condition }: WatchedMonitor, state: MonitorState, now: Date): Date {
  switch (state) {
    case 'paused':
      return monitor.paused?.at ?? monitor.archivedAt ?? monitor.updatedAt;
    case 'maintenance':
      return maintenanceAt(monitor, now)?.from ?? monitor.updatedAt;
    case 'unknown':
      return new Date(condition?.seenAt ?? monitor.createdAt);
    case 'pending':
      return monitor.createdAt;
    default:
      return new Date(condition?.verdict.since ?? monitor.createdAt);
  }
}

/** A monitor as replies show it. */
export function monitorView(watched: WatchedMonitor, now: Date): MonitorView {
  const { monitor, condition } = watched;
  const state = stateOf(monitor, condition, now);
  return {
    id: monitor.id,
    name: monitor.serviceName,
    ...{ org: monitor.org, namespace: monitor.namespace, environment: monitor.environment },
    check: checkView(monitor.check),
    target: targetOf(monitor.check),
    deployedIntervalSeconds: monitor.deployedIntervalSeconds ?? null,
    ...{ intervalSeconds: monitor.intervalSeconds, unmanaged: monitor.unmanaged, isPublic: monitor.isPublic },
    state,
    since: shownSince(watched, state, now).toISOString(),
    flapping: (condition?.flapping.since ?? null) !== null,
    objective: monitor.objective ?? null,
    paused: monitor.paused === null ? null : { at: monitor.paused.at.toISOString(), by: monitor.paused.by },
    archivedAt: monitor.archivedAt?.toISOString() ?? null,
    maintenance: monitor.maintenance.map(({ from, to, note }) => ({
      ...{ from: from.toISOString(), to: to.toISOString(), note },
    })),
    recurringMaintenance: recurringView(monitor, now),
    lastCheck: lastCheckView(condition),
    createdAt: monitor.createdAt.toISOString(),
    updatedAt: monitor.updatedAt.toISOString(),
  };
}

function recurringView({ recurring = [] }: Monitor, now: Date): MonitorView['recurringMaintenance'] {
  return recurring
    .filter(({ until }) => until === null)
    .map((each) => {
      const { id, cron, timeZone, minutes, note } = each;
      return { id, cron, timeZone, minutes, note, next: nextOccurrence(each, now)?.toISOString() ?? null };
    });
}

/** The same without the query of its address and the values of its headers, in which a key may stand. */
export function withoutQuery(view: MonitorView): MonitorView {
  const { check } = view;
  if (check.kind !== 'http' && check.kind !== 'websocket') return view;
  const [url = ''] = check.url.split(/[?#]/, 1);
  const shown = { ...view, target: url };
  if (check.kind === 'websocket' || check.headers === undefined) return { ...shown, check: { ...check, url } };
  const headers = check.headers.map((header) => ('value' in header ? { ...header, value: HIDDEN_SECRET } : header));
  return { ...shown, check: { ...check, url, headers } };
}

function checkView(check: MonitorCheck): MonitorView['check'] {
  if (check.kind === 'http') {
    const { headers, ...rest } = check;
    return headers === undefined ? rest : { ...rest, headers: [...headers] };
  }
  if (check.kind !== 'heartbeat') return check;
  const { kind, periodSeconds, graceSeconds } = check;
  return { kind, periodSeconds, graceSeconds };
}

function lastCheckView(condition: Condition | null): MonitorView['lastCheck'] {
  const last = condition?.last ?? null;
  if (last === null) return null;
  const { at, outcome, durationMs, problem, status, message } = last;
  return { at: new Date(at).toISOString(), outcome, durationMs, problem, status, message };
}

export function uptimeView(days: number, uptime: Uptime | undefined): z.input<typeof uptimeViewSchema> {
  if (uptime === undefined) return { days, uptime: null, coverage: 0, downMs: 0 };
  return { days, uptime: uptime.ratio, coverage: uptime.coverage, downMs: Math.round(uptime.downMs) };
}

export function budgetView(
  objective: Objective,
  uptime: Uptime | undefined,
  active: readonly ActiveBurn[],
): z.input<typeof budgetViewSchema> {
  const { allowedMs, usedMs, left } = budgetOf(objective, uptime ?? { downMs: 0, maintenanceMs: 0 });
  const burning = active.map(({ alert, since }) => ({ alert, since: since.toISOString() }));
  return { allowedMs: Math.round(allowedMs), usedMs: Math.round(usedMs), left, burning };
}

export function dayView(rollUp: RollUp): z.input<typeof dayViewSchema> {
  const whole = (milliseconds: number): number => Math.round(milliseconds);
  return {
    day: rollUp.startsAt.toISOString().slice(0, 10),
    ...{ upMs: whole(rollUp.upMs), degradedMs: whole(rollUp.degradedMs) },
    ...{ downMs: whole(rollUp.downMs), maintenanceMs: whole(rollUp.maintenanceMs) },
    ...{ checks: rollUp.checks, failed: rollUp.failed },
    ...{ p50Ms: quantileMs(rollUp.latency, 0.5), p95Ms: quantileMs(rollUp.latency, 0.95) },
  };
}
