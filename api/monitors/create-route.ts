import type { z } from 'zod';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { MonitorCheck } from '../../domain/monitors/check-kinds.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { monitorView } from '../../domain/monitors/monitor-view.ts';
import { isByHand, manualKey } from '../../domain/monitors/registration.ts';
import { createdMonitorSchema } from '../../domain/monitors/reply-schema.ts';
import { type AskedCheck, newMonitorSchema } from '../../domain/monitors/schema.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { changeOne } from './change-routes.ts';
import type { MonitorsDeps } from './deps.ts';
import { hashHeartbeatToken, heartbeatUrl } from './heartbeat-token.ts';
import { ACTORS, ownerOf } from './monitor-callers.ts';
import { recordChange } from './record-change.ts';
import { requireSendable, withHeaders } from './require-sendable.ts';

const bodySchema = newMonitorSchema.extend({
  org: orgSlugSchema.optional().describe('For the platform: whose it is; its own when left out'),
});

/** Adds a monitor by hand: what the builder does not deploy, or another kind of check of what it does. */
export function createRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/monitors',
    summary: 'Adds a monitor by hand',
    description:
      'It is unmanaged: the reconcile leaves it alone. Of a heartbeat the reply has the address to call, once.',
    tag: 'monitors',
    callers: ACTORS,
    body: bodySchema,
    responses: { 201: { description: 'The monitor', schema: createdMonitorSchema } },
    errors: ['CONFLICT', 'RATE_LIMITED'],
    handle: async ({ body }, context) => {
      const { caller } = context;
      const token = body.check.kind === 'heartbeat' ? deps.newHeartbeatToken() : null;
      const org = ownerOf(caller, body.org, deps.platformOrg);
      const check = storedCheck(body.check, token);
      if (check.kind === 'http') await requireSendable(deps, org, check, check.headers ?? []);
      deps.addLimit(org);
      await requireRoom(deps, org);
      const monitor = await newMonitor(deps, body, { org, check });
      const data = { name: monitor.serviceName, kind: monitor.check.kind };
      await recordChange(deps, context, caller, {
        ...{ type: 'monitor.added', subject: monitor.id, orgSlug: monitor.org, data },
      });
      if (!(await deps.monitors.insert(monitor))) throw new FairleadError('CONFLICT', 'This monitor is there already');
      await requireStillRoom(deps, monitor, org);
      const url = token === null ? null : heartbeatUrl(deps.publicUrl, monitor.id, token);
      const view = monitorView({ monitor, condition: null }, deps.now());
      return { status: 201, data: { ...view, heartbeatUrl: url } };
    },
  });
}

/**
 * Monitors that one org may have by hand: the checks of all orgs share one worker. Paused ones count, removed ones do not; what
 * deploys and operators register for the org takes no place of these.
 */
export const MOST_BY_HAND = 500;

/** Monitors that people of one org add in a minute: each makes history and work for the checks, also where it is removed again. */
export const MOST_ADDED = 120;

/** @throws CONFLICT when the org has more than so many others by hand */
async function requireRoom(
  { monitors }: Pick<MonitorsDeps, 'monitors'>,
  org: string,
  most = MOST_BY_HAND - 1,
): Promise<void> {
  let count = 0;
  for await (const monitor of eachItem((page) => monitors.list({ org, archived: false }, page))) {
    if (isByHand(monitor)) count += 1;
    if (count <= most) continue;
    const message = `${org} has ${MOST_BY_HAND} monitors that were added by hand, as many as an org may have: remove one`;
    throw new FairleadError('CONFLICT', message);
  }
}

/** Several requests at once may each have found room for one: what is over is withdrawn. @throws CONFLICT */
async function requireStillRoom(deps: MonitorsDeps, { id }: Monitor, org: string): Promise<void> {
  try {
    await requireRoom(deps, org, MOST_BY_HAND);
  } catch (error) {
    await changeOne(deps, id, (_monitor, at) => ({ archivedAt: at }));
    throw error;
  }
}

async function newMonitor(
  { monitors, newId, now }: MonitorsDeps,
  { name, environment, intervalSeconds, isPublic }: z.output<typeof newMonitorSchema>,
  { org, check }: { readonly org: string; readonly check: MonitorCheck },
): Promise<Monitor> {
  const [id, at] = [newId('monitor'), now()];
  return {
    id,
    number: await monitors.nextNumber(),
    key: manualKey(id),
    ...{ org, serviceName: name, namespace: `${name}-${environment}`, environment },
    check,
    ...{ intervalSeconds, unmanaged: true, isPublic },
    ...{ paused: null, archivedAt: null, maintenance: [], createdAt: at, updatedAt: at, revision: 1 },
  };
}

function storedCheck(check: AskedCheck, token: string | null): MonitorCheck {
  if (check.kind === 'http') return withHeaders(check, check.headers ?? []);
  return check.kind === 'heartbeat' ? { ...check, tokenHash: hashHeartbeatToken(token ?? '') } : check;
}
