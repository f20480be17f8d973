import { z } from 'zod';
import { quantileMs } from '../../domain/monitors/latency-histogram.ts';
import { dayView } from '../../domain/monitors/monitor-view.ts';
import { dayViewSchema, seriesPointSchema } from '../../domain/monitors/reply-schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { MonitorsDeps } from './deps.ts';
import { READERS } from './monitor-callers.ts';
import { monitorParams } from './monitor-routes.ts';
import { requireMonitor } from './require-monitor.ts';

/** How a monitor was. */
export function historyRoutes(deps: MonitorsDeps): readonly Route[] {
  return [daysRoute(deps), seriesRoute(deps)];
}

function daysRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/monitors/:id/days',
    summary: 'How a monitor was, by UTC day, the oldest first',
    description: 'A day of which nothing is known is left out. What is missing to a whole day is no data.',
    tag: 'monitors',
    callers: READERS,
    params: monitorParams,
    query: z.strictObject({ days: z.coerce.number().int().min(1).max(400).default(90) }),
    responses: { 200: { description: 'The days', schema: z.object({ items: z.array(dayViewSchema) }) } },
    errors: ['MONITOR_NOT_FOUND'],
    resource: ({ params }, { caller }) => requireMonitor(deps, caller, params.id),
    handle: async ({ resource: { id }, query: { days } }) => {
      const rollUps = await deps.history.days(id, days, deps.now());
      return { status: 200, data: { items: rollUps.map(dayView) } };
    },
  });
}

function seriesRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/monitors/:id/series',
    summary: 'Response times of a monitor, in the finest steps that are kept of that time',
    tag: 'monitors',
    callers: READERS,
    params: monitorParams,
    query: z.strictObject({
      hours: z.coerce
        .number()
        .int()
        .min(1)
        .max(400 * 24)
        .default(24),
    }),
    responses: { 200: { description: 'The steps', schema: z.object({ items: z.array(seriesPointSchema) }) } },
    errors: ['MONITOR_NOT_FOUND'],
    resource: ({ params }, { caller }) => requireMonitor(deps, caller, params.id),
    handle: async ({ resource: { id }, query: { hours } }) => {
      const rollUps = await deps.history.series(id, hours, deps.now());
      const items = rollUps.map(({ startsAt, length, checks, failed, latency }) => ({
        ...{ startsAt: startsAt.toISOString(), length, checks, failed },
        ...{ p50Ms: quantileMs(latency, 0.5), p95Ms: quantileMs(latency, 0.95) },
      }));
      return { status: 200, data: { items } };
    },
  });
}
