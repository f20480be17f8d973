import { z } from 'zod';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { MONITOR_STATES } from '../../domain/monitors/condition.ts';
import { budgetView, monitorView, uptimeView } from '../../domain/monitors/monitor-view.ts';
import type { Objective } from '../../domain/monitors/objective.ts';
import { monitorDetailSchema, monitorViewSchema } from '../../domain/monitors/reply-schema.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { MonitorsDeps } from './deps.ts';
import { READERS, readableOrg, viewFor } from './monitor-callers.ts';
import { requireMonitor, withConditions } from './require-monitor.ts';

/** Days that the figures of one monitor are for. */
export const UPTIME_DAYS = [1, 7, 30, 90] as const;

export const monitorParams = z.strictObject({ id: z.string().min(1).max(100) });
const tag = 'monitors';

/** What is watched, and how it is. */
export function monitorRoutes(deps: MonitorsDeps): readonly Route[] {
  return [listRoute(deps), showRoute(deps)];
}

const filterShape = {
  org: orgSlugSchema.optional().describe('For the platform: of this org alone'),
  state: z.enum(MONITOR_STATES).optional(),
  environment: environmentSchema.optional(),
  q: z.string().max(100).optional().describe('A part of the name or of the target'),
  archived: z.stringbool().default(false),
} as const;

function listRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/monitors',
    summary: 'Monitors of the org of the caller, by name; of all orgs for the platform',
    description: 'With a filter a page may have fewer items than its limit, or none: go on with `nextCursor`.',
    tag,
    callers: READERS,
    query: z.strictObject({ ...filterShape, ...pageQueryShape }),
    responses: { 200: { description: 'A page of monitors', schema: pageSchema(monitorViewSchema) } },
    handle: async ({ query: { cursor = null, limit, ...filter } }, { caller }) => ({
      status: 200,
      data: await readMonitors(deps, caller, filter, { cursor, limit }),
    }),
  });
}

export type AskedMonitors = z.output<z.ZodObject<typeof filterShape>>;

/** A page of what a caller may see, as the API and the dashboard show it. */
export async function readMonitors(
  deps: Pick<MonitorsDeps, 'monitors' | 'conditions' | 'now'>,
  caller: Caller,
  { org, state, environment, q, archived }: AskedMonitors,
  page: { readonly cursor: string | null; readonly limit: number },
) {
  const own = readableOrg(caller);
  const { items, nextCursor } = await deps.monitors.list({ org: own ?? org ?? null, archived }, page);
  const now = deps.now();
  const words = q?.trim().toLowerCase() ?? '';
  const views = (await withConditions(deps, items)).map((watched) => viewFor(caller, monitorView(watched, now)));
  const shown = views.filter(
    (view) =>
      (state === undefined || view.state === state) &&
      (environment === undefined || view.environment === environment) &&
      `${view.name} ${view.target}`.toLowerCase().includes(words),
  );
  return { items: shown, nextCursor };
}

function showRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/monitors/:id',
    summary: 'One monitor, with its uptime',
    tag,
    callers: READERS,
    params: monitorParams,
    responses: { 200: { description: 'The monitor', schema: monitorDetailSchema } },
    errors: ['MONITOR_NOT_FOUND'],
    resource: ({ params }, { caller }) => requireMonitor(deps, caller, params.id),
    handle: async ({ resource: monitor }, { caller }) => ({
      status: 200,
      data: await readMonitor(deps, caller, monitor),
    }),
  });
}

/** A monitor with its figures, as a caller may see it. */
export async function readMonitor(
  deps: Pick<MonitorsDeps, 'conditions' | 'history' | 'burns' | 'now'>,
  caller: Caller,
  monitor: Parameters<typeof withConditions>[1][number],
) {
  const now = deps.now();
  const { id, objective = null } = monitor;
  const [[watched], budget, ...figures] = await Promise.all([
    withConditions(deps, [monitor]),
    objective === null ? null : readBudget(deps, id, objective, now),
    ...UPTIME_DAYS.map((days) => deps.history.uptime([monitor.id], days, now)),
  ]);
  const uptime = UPTIME_DAYS.map((days, index) => uptimeView(days, figures[index]?.get(monitor.id)));
  return { ...viewFor(caller, monitorView(watched ?? { monitor, condition: null }, now)), uptime, budget };
}

async function readBudget(
  { history, burns }: Pick<MonitorsDeps, 'history' | 'burns'>,
  id: string,
  objective: Objective,
  now: Date,
) {
  const [uptime, states] = await Promise.all([history.uptime([id], objective.windowDays, now), burns.find([id])]);
  return budgetView(objective, uptime.get(id), states.get(id)?.active ?? []);
}
