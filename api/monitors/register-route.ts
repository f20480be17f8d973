import { registerMonitor } from '../../domain/monitors/register-monitor.ts';
import { registeredSchema } from '../../domain/monitors/reply-schema.ts';
import { registrationSchema } from '../../domain/monitors/schema.ts';
import { PLATFORM } from '../http/allowed-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { MonitorsDeps } from './deps.ts';
import { REGISTER_PATH } from './monitor-callers.ts';

/** How builders and operators say what is to be watched (spec 3, "Monitor behaviour"). */
export function registerRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'post',
    path: REGISTER_PATH,
    summary: 'Registers what is to be watched',
    description:
      'Idempotent: a service has one monitor in each environment for whatever address the platform gives it, and one for each custom domain. A missing org keeps the known one. What the builder does not deploy needs `unmanaged: true`, or the hourly reconcile archives it.',
    tag: 'pulse',
    callers: PLATFORM,
    body: registrationSchema,
    responses: { 200: { description: 'Its monitor', schema: registeredSchema } },
    errors: ['CONFLICT'],
    handle: async ({ body }) => {
      const { id } = await registerMonitor(deps, body);
      return { status: 200, data: { pulseMonitorId: id, id } };
    },
  });
}
