import { changedMonitor, changeMonitor } from '../../domain/monitors/change-monitor.ts';
import { naturalKey } from '../../domain/monitors/registration.ts';
import { unregisteredSchema } from '../../domain/monitors/reply-schema.ts';
import { unregistrationSchema } from '../../domain/monitors/schema.ts';
import { PLATFORM } from '../http/allowed-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { MonitorsDeps } from './deps.ts';
import { UNREGISTER_PATH } from './monitor-callers.ts';

/** How builders say that an address is served no more, such as a custom domain that was removed. Not in the contract: ours. */
export function unregisterRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'post',
    path: UNREGISTER_PATH,
    summary: 'Archives the monitor of an address that is served no more',
    description:
      'Idempotent. The next registration of the address brings it back with its history. What is `unmanaged` stays, and is not told.',
    tag: 'pulse',
    callers: PLATFORM,
    body: unregistrationSchema,
    responses: { 200: { description: 'Whether there was such a monitor', schema: unregisteredSchema } },
    errors: ['CONFLICT'],
    handle: async ({ body }) => {
      const { monitors, isPlatformHost, now } = deps;
      const known = await monitors.findByKey(naturalKey(body, isPlatformHost));
      if (known === null || known.unmanaged) return { status: 200, data: { archived: false } };
      const at = now();
      await changeMonitor(monitors, known.id, (monitor) =>
        changedMonitor(monitor, { archivedAt: monitor.archivedAt ?? at }, at),
      );
      return { status: 200, data: { archived: true } };
    },
  });
}
