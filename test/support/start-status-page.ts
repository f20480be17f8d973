import type { TestContext } from 'node:test';
import type { ServiceChangelog } from '../../domain/status-page/ports.ts';
import { type MonitorTestOptions, startMonitor } from './start-monitor.ts';

/** The uptime monitor with what tests of its public pages do: register, be up, and look. */
export async function startStatusPage(t: TestContext, options: MonitorTestOptions = {}) {
  const api = await startMonitor(options);
  t.after(() => api.stop());
  const register = async (serviceName: string, changes: object = {}) => {
    const body = { serviceName, org: 'platform', environment: 'prod', url: `https://${serviceName}.example.com/` };
    return (await api.call('POST', '/api/pulse/register', { ...body, ...changes })).body.data.id as string;
  };
  const up = (id: string, changes: object = {}) =>
    api.report(id, {
      verdict: { verdict: 'up', since: Date.now() - 60_000, run: null },
      seenAt: Date.now(),
      ...changes,
    });
  const get = (path: string, headers: Record<string, string> = {}) => api.call('GET', path, undefined, headers);
  return { ...api, register, up, get };
}

/** A changelog as the registry gives it. */
export const changelogOf = (service: string, changes: Partial<ServiceChangelog> = {}): ServiceChangelog => ({
  ...{ service, notes: '- new', version: '1.0.0', deployedAt: new Date('2026-11-20T00:00:00Z'), walkthroughUrl: null },
  ...changes,
});
