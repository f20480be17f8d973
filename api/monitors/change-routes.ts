import type { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { changedMonitor, changeMonitor } from '../../domain/monitors/change-monitor.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { monitorView } from '../../domain/monitors/monitor-view.ts';
import { intervalByHand } from '../../domain/monitors/register-monitor.ts';
import { customDomainOf } from '../../domain/monitors/registration.ts';
import { monitorViewSchema } from '../../domain/monitors/reply-schema.ts';
import { monitorChangeSchema } from '../../domain/monitors/schema.ts';
import { isSourceGone } from '../../domain/monitors/source-of-monitor.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';
import type { MonitorsDeps } from './deps.ts';
import { ACTORS } from './monitor-callers.ts';
import { monitorParams } from './monitor-routes.ts';
import { recordChange } from './record-change.ts';
import { requireMonitor, withConditions } from './require-monitor.ts';
import { requireSendable, withHeaders } from './require-sendable.ts';

const tag = 'monitors';
const responses = { 200: { description: 'The monitor', schema: monitorViewSchema } } as const;

/** What people change of monitors. */
export function changeRoutes(deps: MonitorsDeps): readonly Route[] {
  return [changeRoute(deps), removeRoute(deps)];
}

function changeRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'patch',
    path: '/api/monitors/:id',
    summary:
      'Changes a monitor: its interval, its objective, what it sends, whether the status page shows it, whether it is paused',
    description:
      'A paused monitor is not checked, and told nobody of. Its uptime has no data for that time. What is changed here stays when the service is deployed again.',
    tag,
    callers: ACTORS,
    params: monitorParams,
    body: monitorChangeSchema,
    responses,
    errors: ['MONITOR_NOT_FOUND', 'CONFLICT'],
    resource: ({ params }, { caller }) => requireMonitor(deps, caller, params.id),
    handle: async ({ resource, body }, context) => ({
      status: 200,
      data: await viewOf(deps, await changeByHand(deps, context, context.caller, resource, body)),
    }),
  });
}

/** Changes a monitor for somebody, and records that first. @throws CONFLICT, MONITOR_NOT_FOUND, UNAVAILABLE, VALIDATION_FAILED */
export async function changeByHand(
  deps: Pick<MonitorsDeps, 'monitors' | 'checkSecrets' | 'isPlatformHost' | 'audit' | 'newId' | 'now'>,
  context: Pick<RouteContext, 'requestId' | 'address'>,
  caller: Caller,
  { id, org, check }: Pick<Monitor, 'id' | 'org' | 'check'>,
  change: z.output<typeof monitorChangeSchema>,
): Promise<Monitor> {
  const { paused, headers } = change;
  if (headers !== undefined) await requireSendable(deps, org, check, headers);
  const type = paused === undefined ? 'monitor.changed' : paused ? 'monitor.paused' : 'monitor.resumed';
  await recordChange(deps, context, caller, { type, subject: id, orgSlug: org, data: given(change) });
  return changeOne(deps, id, (monitor, at) => ({
    ...(change.intervalSeconds === undefined ? {} : intervalByHand(monitor, change.intervalSeconds)),
    ...(change.objective === undefined ? {} : { objective: change.objective }),
    ...(headers === undefined || monitor.check.kind !== 'http' ? {} : { check: withHeaders(monitor.check, headers) }),
    isPublic: change.isPublic ?? monitor.isPublic,
    paused: paused === undefined ? monitor.paused : paused ? (monitor.paused ?? { at, by: caller.name }) : null,
  }));
}

type Changes = Parameters<typeof changedMonitor>[1];

/** @throws MONITOR_NOT_FOUND when it is gone meanwhile; what `change` throws; CONFLICT, UNAVAILABLE */
export async function changeOne(
  { monitors, now }: Pick<MonitorsDeps, 'monitors' | 'now'>,
  id: string,
  change: (monitor: Monitor, at: Date) => Changes,
): Promise<Monitor> {
  const at = now();
  const changed = await changeMonitor(monitors, id, (monitor) => changedMonitor(monitor, change(monitor, at), at));
  if (changed !== null) return changed;
  throw new FairleadError('MONITOR_NOT_FOUND', `There is no monitor ${id}; GET /api/monitors lists yours`);
}

/** Without the fields that a request leaves out; of headers the names alone. */
function given({ objective, headers, ...change }: z.output<typeof monitorChangeSchema>) {
  const asked = {
    ...(objective !== undefined && { targetPercent: objective?.targetPercent ?? null }),
    ...(headers !== undefined && { headers: headers.map(({ name }) => name) }),
  };
  return Object.fromEntries(
    Object.entries({ ...change, ...asked }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function removeRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'delete',
    path: '/api/monitors/:id',
    summary: 'Archives a monitor that was added by hand, or whose source is gone',
    description:
      'Its history is kept for 90 days. The monitor of a service, or of a custom domain, goes with it: of one that is there the answer is CONFLICT.',
    tag,
    callers: ACTORS,
    params: monitorParams,
    responses,
    errors: ['MONITOR_NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
    resource: ({ params }, { caller }) => requireMonitor(deps, caller, params.id),
    handle: async ({ resource: monitor }, context) => {
      const { id, org } = monitor;
      await requireNoSource(deps, monitor, context.gone);
      await recordChange(deps, context, context.caller, {
        type: 'monitor.archived',
        subject: id,
        orgSlug: org,
        data: {},
      });
      const archived = await changeOne(deps, id, ({ archivedAt }, at) => ({ archivedAt: archivedAt ?? at }));
      return { status: 200, data: await viewOf(deps, archived) };
    },
  });
}

/** @throws CONFLICT while what a deploy had watched is there; UNAVAILABLE (retryable) while nobody can say */
async function requireNoSource(deps: MonitorsDeps, monitor: Monitor, signal: AbortSignal): Promise<void> {
  if (monitor.unmanaged || monitor.archivedAt !== null) return;
  if (await isSourceGone(deps, monitor, signal)) return;
  const domain = customDomainOf(monitor);
  const message =
    domain === null
      ? 'This monitor belongs to a deployed service: pause it, or delete the service'
      : `This monitor belongs to the custom domain ${domain}: pause it, or remove the domain from its service`;
  throw new FairleadError('CONFLICT', message);
}

/** A monitor as replies show it, with how it is. @throws UNAVAILABLE */
export async function viewOf(deps: MonitorsDeps, monitor: Monitor) {
  const [watched] = await withConditions(deps, [monitor]);
  return monitorView(watched ?? { monitor, condition: null }, deps.now());
}
