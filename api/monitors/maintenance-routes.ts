import { z } from 'zod';
import { hasWindow, withoutMaintenance, withWindow } from '../../domain/monitors/maintenance.ts';
import { cutShort } from '../../domain/monitors/recurring-maintenance.ts';
import { monitorViewSchema } from '../../domain/monitors/reply-schema.ts';
import { maintenanceSchema } from '../../domain/monitors/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { changeOne, viewOf } from './change-routes.ts';
import type { MonitorsDeps } from './deps.ts';
import { ACTORS } from './monitor-callers.ts';
import { monitorParams } from './monitor-routes.ts';
import { recordChange } from './record-change.ts';
import { requireMonitor } from './require-monitor.ts';

const row = {
  path: '/api/monitors/:id/maintenance',
  tag: 'monitors',
  callers: ACTORS,
  params: monitorParams,
  responses: { 200: { description: 'The monitor', schema: monitorViewSchema } },
  errors: ['MONITOR_NOT_FOUND', 'CONFLICT'],
} as const;

/** Times in which a monitor may fail. */
export function maintenanceRoutes(deps: MonitorsDeps): readonly Route[] {
  return [addRoute(deps), endRoute(deps)];
}

function addRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    ...row,
    method: 'post',
    summary: 'Adds a time in which a monitor may fail: neither told nor counted',
    description:
      'It begins now or within a year, and has at most 31 days. A repeat of the same request adds nothing: whoever got no answer, or UNAVAILABLE, sends it again.',
    body: maintenanceSchema,
    resource: ({ params }, { caller }) => requireMonitor(deps, caller, params.id),
    handle: async ({ resource: { id, org, maintenance: known }, body }, context) => {
      // What is refused is not recorded, nor is a repeat, which may have its readers to tell yet.
      withWindow(known, body, deps.now());
      if (!hasWindow(known, body)) {
        const data = { from: body.from.toISOString(), to: body.to.toISOString() };
        const facts = { type: 'monitor.maintenance_added', subject: id, orgSlug: org, data };
        await recordChange(deps, context, context.caller, facts);
      }
      const changed = await changeOne(deps, id, ({ maintenance }, at) => ({
        maintenance: withWindow(maintenance, body, at),
      }));
      await deps.announceMaintenance(changed, body, deps.now());
      return { status: 200, data: await viewOf(deps, changed) };
    },
  });
}

function endRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    ...row,
    method: 'delete',
    summary: 'Ends the maintenance of a monitor now',
    description:
      'A monitor that is not in maintenance stays as it is. Of recurring ones, the one that runs ends; the next ones come.',
    query: z.strictObject({
      planned: z.stringbool().default(false).describe('Whether times to come are withdrawn too'),
    }),
    resource: ({ params }, { caller }) => requireMonitor(deps, caller, params.id),
    handle: async ({ resource: { id, org }, query: { planned } }, context) => {
      const facts = { type: 'monitor.maintenance_ended', subject: id, orgSlug: org, data: { planned } };
      await recordChange(deps, context, context.caller, facts);
      const changed = await changeOne(deps, id, ({ maintenance, recurring }, at) => ({
        maintenance: withoutMaintenance(maintenance, { at, planned }),
        ...(recurring !== undefined && { recurring: cutShort(recurring, at) }),
      }));
      return { status: 200, data: await viewOf(deps, changed) };
    },
  });
}
