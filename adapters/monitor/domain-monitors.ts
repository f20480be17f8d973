import { z } from 'zod';
import type { DomainMonitors } from '../../domain/custom-domains/ports.ts';
import { createPlatformCall, type PlatformConnection } from '../platform-call/platform-call.ts';
import { MONITOR, MONITOR_TIMEOUT_MS, UNREGISTER_PATH } from './uptime-monitor.ts';

/** Monitors of custom domains, at the uptime monitor over HTTP. */
export function createDomainMonitors(connection: PlatformConnection): DomainMonitors {
  const call = createPlatformCall({ timeoutMs: MONITOR_TIMEOUT_MS, ...connection }, MONITOR);
  const headers = { authorization: `Bearer ${connection.internalKey}` };
  return {
    async remove({ service, environment, domain }, signal) {
      const body = { serviceName: service, environment, url: `https://${domain}/` };
      await call(z.unknown(), { method: 'POST', path: UNREGISTER_PATH, body, headers, signal });
    },
  };
}
