import { z } from 'zod';
import { eachItem } from '../../domain/each-item.ts';
import { MONITOR_STATES } from '../../domain/monitors/condition.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { monitorView } from '../../domain/monitors/monitor-view.ts';
import type { MonitorView } from '../../domain/monitors/reply-schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { MonitorsDeps } from './deps.ts';
import { READERS, readableOrg } from './monitor-callers.ts';
import { withConditions } from './require-monitor.ts';

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const BATCH = 200;

/** What Prometheus reads, in its text format: how each monitor is, and how its last check was. */
export function metricsRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/metrics',
    summary: 'The monitors of the caller in the text format of Prometheus',
    tag: 'monitors',
    callers: READERS,
    polled: true,
    responses: {
      200: {
        description: 'The metrics',
        schema: z.string(),
        alternative: { contentType: 'text/plain', description: 'Text format 0.0.4' },
      },
    },
    handle: async (_input, { caller }) => {
      const text = metricsText(await readAll(deps, readableOrg(caller)));
      return async (response) => {
        response.status(200).set({ 'Content-Type': CONTENT_TYPE }).send(text);
      };
    },
  });
}

async function readAll(deps: MonitorsDeps, org: string | null): Promise<readonly MonitorView[]> {
  const views: MonitorView[] = [];
  let batch: Monitor[] = [];
  const now = deps.now();
  const take = async (): Promise<void> => {
    views.push(...(await withConditions(deps, batch)).map((watched) => monitorView(watched, now)));
    batch = [];
  };
  for await (const monitor of eachItem((page) => deps.monitors.list({ org, archived: false }, page))) {
    batch.push(monitor);
    if (batch.length === BATCH) await take();
  }
  await take();
  return views;
}

/** Monitors as Prometheus reads them. A value that is not known has no line. */
export function metricsText(views: readonly MonitorView[]): string {
  const states = views.flatMap((view) =>
    MONITOR_STATES.map((state) => `fairlead_monitor_state${labels(view, { state })} ${view.state === state ? 1 : 0}`),
  );
  const latencies = views.flatMap((view) =>
    view.lastCheck === null
      ? []
      : [`fairlead_monitor_check_duration_seconds${labels(view)} ${view.lastCheck.durationMs / 1_000}`],
  );
  const times = views.flatMap((view) =>
    view.lastCheck === null
      ? []
      : [`fairlead_monitor_last_check_timestamp_seconds${labels(view)} ${Date.parse(view.lastCheck.at) / 1_000}`],
  );
  const lines = [
    '# HELP fairlead_monitor_state 1 for the state that the monitor is in.',
    '# TYPE fairlead_monitor_state gauge',
    ...states,
    '# HELP fairlead_monitor_check_duration_seconds How long the last check took.',
    '# TYPE fairlead_monitor_check_duration_seconds gauge',
    ...latencies,
    '# HELP fairlead_monitor_last_check_timestamp_seconds When the last check began.',
    '# TYPE fairlead_monitor_last_check_timestamp_seconds gauge',
    ...times,
  ];
  return `${lines.join('\n')}\n`;
}

function labels(
  { id, name, environment, org, check }: MonitorView,
  more: Readonly<Record<string, string>> = {},
): string {
  const all = { id, name, environment, org: org ?? '', kind: check.kind, ...more };
  return `{${Object.entries(all).map(([label, value]) => `${label}="${escaped(value)}"`)}}`;
}

const escaped = (value: string): string => value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
