import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { sameRecurring, withoutRecurring, withRecurring } from '../../domain/monitors/recurring-maintenance.ts';
import { monitorViewSchema } from '../../domain/monitors/reply-schema.ts';
import { recurringSchema } from '../../domain/monitors/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { changeOne, viewOf } from './change-routes.ts';
import type { MonitorsDeps } from './deps.ts';
import { ACTORS } from './monitor-callers.ts';
import { monitorParams } from './monitor-routes.ts';
import { recordChange } from './record-change.ts';
import { requireMonitor } from './require-monitor.ts';

const row = {
  tag: 'monitors',
  callers: ACTORS,
  responses: { 200: { description: 'The monitor', schema: monitorViewSchema } },
} as const;

/** Times in which a monitor may fail, again and again. */
export function recurringRoutes(deps: MonitorsDeps): readonly Route[] {
  return [addRoute(deps), removeRoute(deps)];
}

function addRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    ...row,
    method: 'post',
    path: '/api/monitors/:id/recurring-maintenance',
    summary: 'Adds times in which a monitor may fail, again and again: neither told nor counted',
    description:
      'They are by the clocks of the time zone: a time that these show twice is the first of both, one that they leave out is as much later as they leave out. A repeat of the same request adds nothing: whoever got no answer, or UNAVAILABLE, sends it again.',
    params: monitorParams,
    body: recurringSchema,
    errors: ['MONITOR_NOT_FOUND', 'CONFLICT'],
    resource: ({ params }, { caller }) => requireMonitor(deps, caller, params.id),
    handle: async ({ resource: { id, org, recurring: known = [] }, body }, context) => {
      const asked = { id: deps.newId('maintenance'), ...body, since: deps.now(), until: null, cut: null };
      // What is refused is not recorded, nor is a repeat, which may have its readers to tell yet.
      withRecurring(known, asked);
      if (sameRecurring(known, body) === undefined) {
        const { cron, timeZone, minutes } = body;
        const data = { id: asked.id, cron, timeZone, minutes };
        const facts = { type: 'monitor.recurring_maintenance_added', subject: id, orgSlug: org, data };
        await recordChange(deps, context, context.caller, facts);
      }
      const changed = await changeOne(deps, id, ({ recurring = [] }) => ({
        recurring: withRecurring(recurring, asked),
      }));
      await deps.announceMaintenance(changed, sameRecurring(changed.recurring ?? [], body) ?? asked, deps.now());
      return { status: 200, data: await viewOf(deps, changed) };
    },
  });
}

function removeRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    ...row,
    method: 'delete',
    path: '/api/monitors/:id/recurring-maintenance/:maintenance',
    summary: 'Ends recurring times of maintenance for good, the one that runs as well',
    params: monitorParams.extend({ maintenance: z.string().min(1).max(100) }),
    errors: ['MONITOR_NOT_FOUND', 'NOT_FOUND', 'CONFLICT'],
    resource: async ({ params }, { caller }) => {
      const monitor = await requireMonitor(deps, caller, params.id);
      return requireRecurring(monitor, params.maintenance);
    },
    handle: async ({ resource: { id, org }, params: { maintenance } }, context) => {
      const facts = {
        type: 'monitor.recurring_maintenance_ended',
        subject: id,
        orgSlug: org,
        data: { id: maintenance },
      };
      await recordChange(deps, context, context.caller, facts);
      const changed = await changeOne(deps, id, ({ recurring = [] }, at) => ({
        recurring: withoutRecurring(recurring, maintenance, at),
      }));
      return { status: 200, data: await viewOf(deps, changed) };
    },
  });
}

function requireRecurring(monitor: Monitor, id: string): Monitor {
  if (monitor.recurring?.some((each) => each.id === id && each.until === null) === true) return monitor;
  throw new FairleadError('NOT_FOUND', `This monitor has no recurring maintenance ${id}; it shows those that it has`);
}
