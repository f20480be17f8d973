import type { ApiClient } from './api-client.ts';
import type { CliContext } from './context.ts';
import { connectToService } from './service-api.ts';

/** The uptime monitor that belongs to a builder API. @throws CliFailure NO_MONITOR, MONITOR_UNSAFE */
export function connectToMonitor(context: CliContext): ApiClient {
  return connectToService(context, 'monitor', { unknown: 'NO_MONITOR', unsafe: 'MONITOR_UNSAFE' });
}
