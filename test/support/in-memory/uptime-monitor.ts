import type { MonitorRegistration, UptimeMonitor } from '../../../domain/deploys/uptime-monitor.ts';

export interface InMemoryUptimeMonitor extends UptimeMonitor {
  /** What it watches, by address. */
  readonly monitors: ReadonlyMap<string, MonitorRegistration>;
}

/** An uptime monitor in this process that checks nothing. */
export function createInMemoryUptimeMonitor(): InMemoryUptimeMonitor {
  const monitors = new Map<string, MonitorRegistration>();
  return {
    monitors,
    async register(registration, signal) {
      signal?.throwIfAborted();
      monitors.set(registration.url, registration);
      return { monitorId: `mon_${registration.namespace}` };
    },
    async unregister({ serviceName, environment, url }, signal) {
      signal?.throwIfAborted();
      const known = monitors.get(url);
      if (known?.serviceName === serviceName && known.environment === environment) monitors.delete(url);
    },
  };
}
