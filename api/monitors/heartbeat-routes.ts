import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { type HeartbeatSignal, tokenHashesAt } from '../../domain/monitors/heartbeat.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { defineRoute, type Method, type Route } from '../http/define-route.ts';
import type { MonitorsDeps } from './deps.ts';
import { isHeartbeatToken } from './heartbeat-token.ts';

const params = z.strictObject({ id: z.string().min(1).max(100), token: z.string().min(1).max(100) });

/** What a job calls, by the end of the path. */
const CALLS: readonly (readonly [end: string, signal: HeartbeatSignal, summary: string])[] = [
  ['', 'done', 'A job says that it is done'],
  ['/start', 'start', 'A job says that it has begun'],
  ['/fail', 'fail', 'A job says that it failed'],
];

/**
 * How jobs report. The token in the address is all that they need: it is made once, kept as a hash, and lets nobody do
 * anything else. GET does as POST does, for programs that send nothing else.
 */
export function heartbeatRoutes(deps: MonitorsDeps): readonly Route[] {
  return CALLS.flatMap((call) => (['post', 'get'] as const).map((method) => heartbeatRoute(deps, method, call)));
}

function heartbeatRoute(
  deps: Pick<MonitorsDeps, 'monitors' | 'heartbeats' | 'now'>,
  method: Method,
  [end, signal, summary]: (typeof CALLS)[number],
): Route {
  return defineRoute({
    method,
    path: `/api/heartbeats/:id/:token${end}`,
    summary,
    description: 'Answered when a majority of the database has it.',
    tag: 'heartbeats',
    callers: 'public',
    params,
    polled: true,
    secretPath: true,
    responses: { 200: { description: 'It is kept', schema: z.object({ ok: z.literal(true) }) } },
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
    handle: async ({ params: { id, token } }) => {
      const at = deps.now();
      const monitor = await requireHeartbeat(deps, { id, token, at });
      await deps.heartbeats.put(monitor.id, signal, at);
      return { status: 200, data: { ok: true } };
    },
  });
}

/** @throws NOT_FOUND, the same for a wrong token as for a monitor that is not there */
async function requireHeartbeat(
  { monitors }: Pick<MonitorsDeps, 'monitors'>,
  { id, token, at }: { readonly id: string; readonly token: string; readonly at: Date },
): Promise<Monitor> {
  const monitor = await monitors.find(id);
  const hashes = monitor?.check.kind === 'heartbeat' ? tokenHashesAt(monitor.check, at) : [];
  const isOwn = hashes.some((tokenHash) => isHeartbeatToken(token, tokenHash));
  if (monitor !== null && isOwn && monitor.archivedAt === null) return monitor;
  throw new FairleadError('NOT_FOUND', 'There is no heartbeat at this address');
}
