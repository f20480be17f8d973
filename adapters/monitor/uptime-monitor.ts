import { z } from 'zod';
import type { UptimeMonitor } from '../../domain/deploys/uptime-monitor.ts';
import { type CalledService, createPlatformCall, type PlatformConnection } from '../platform-call/platform-call.ts';

/** A deploy, or the removal of a domain, waits for such a call. */
export const MONITOR_TIMEOUT_MS = 3_000;
export const MONITOR: CalledService = {
  system: 'monitor',
  title: 'The uptime monitor',
  keyVariable: 'INTERNAL_SERVICE_KEY',
  mostCharacters: 64 * 1024,
};

export const UNREGISTER_PATH = '/api/pulse/unregister';

const id = z.string().min(1).max(200);
/** The contract shows no reply. One without an id is as good: then there is none to keep. */
const reply = z
  .union([z.object({ pulseMonitorId: id }).transform(({ pulseMonitorId }) => pulseMonitorId), z.object({ id })])
  .transform((found) => (typeof found === 'string' ? found : found.id))
  .catch('');

/** The uptime monitor over HTTP. The key is sent as a bearer token, as the contract says, beside the platform's header. */
export function createUptimeMonitor(connection: PlatformConnection): UptimeMonitor {
  const call = createPlatformCall({ timeoutMs: MONITOR_TIMEOUT_MS, ...connection }, MONITOR);
  const headers = { authorization: `Bearer ${connection.internalKey}` };
  return {
    async register(registration, signal) {
      const path = '/api/pulse/register';
      const monitorId = await call(reply, { method: 'POST', path, body: registration, headers, signal });
      return { monitorId: monitorId === '' ? null : monitorId };
    },
    async unregister({ serviceName, environment, url }, signal) {
      const body = { serviceName, environment, url };
      await call(z.unknown(), { method: 'POST', path: UNREGISTER_PATH, body, headers, signal });
    },
  };
}
