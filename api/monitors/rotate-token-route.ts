import { FairleadError } from '../../domain/errors.ts';
import { withToken } from '../../domain/monitors/heartbeat.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { rotatedMonitorSchema } from '../../domain/monitors/reply-schema.ts';
import { tokenRotationSchema } from '../../domain/monitors/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { changeOne, viewOf } from './change-routes.ts';
import type { MonitorsDeps } from './deps.ts';
import { hashHeartbeatToken, heartbeatUrl } from './heartbeat-token.ts';
import { ACTORS } from './monitor-callers.ts';
import { monitorParams } from './monitor-routes.ts';
import { recordChange } from './record-change.ts';
import { requireMonitor } from './require-monitor.ts';

/** Gives a heartbeat another address. */
export function rotateTokenRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/monitors/:id/rotate-token',
    summary: 'Replaces the token of a heartbeat',
    description:
      'The reply has the new address, once. The token before it counts for the overlap; the one before that, no more. The history stays.',
    tag: 'monitors',
    callers: ACTORS,
    params: monitorParams,
    body: tokenRotationSchema,
    responses: { 200: { description: 'The monitor, with its new address', schema: rotatedMonitorSchema } },
    errors: ['MONITOR_NOT_FOUND', 'CONFLICT'],
    resource: ({ params }, { caller }) => requireMonitor(deps, caller, params.id),
    handle: async ({ resource: monitor, body: { overlapHours } }, context) => {
      const { id, org } = monitor;
      requireHeartbeat(monitor);
      const facts = { type: 'monitor.token_rotated', subject: id, orgSlug: org, data: { overlapHours } };
      await recordChange(deps, context, context.caller, facts);
      const token = deps.newHeartbeatToken();
      const changed = await changeOne(deps, id, (known, at) => ({
        check: withToken(requireHeartbeat(known), hashHeartbeatToken(token), { at, overlapHours }),
      }));
      const { formerToken } = requireHeartbeat(changed);
      const formerTokenUntil = formerToken?.until.toISOString() ?? null;
      const view = await viewOf(deps, changed);
      return {
        status: 200,
        data: { ...view, heartbeatUrl: heartbeatUrl(deps.publicUrl, id, token), formerTokenUntil },
      };
    },
  });
}

/** @throws CONFLICT for another kind of check, and for a monitor that takes no reports */
function requireHeartbeat({ check, archivedAt }: Monitor) {
  if (check.kind !== 'heartbeat') throw new FairleadError('CONFLICT', 'This monitor is no heartbeat: it has no token');
  if (archivedAt !== null) throw new FairleadError('CONFLICT', 'This monitor was removed: no job reports to it');
  return check;
}
