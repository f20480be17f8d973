import type { MonitorResult, Outcome } from '../../domain/monitors/check-result.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';

const AT = new Date('2026-11-01T10:00:00Z');

/** A monitor of a service, number and id from one another. */
export function monitorRecord(number: number, changes: Partial<Monitor> = {}): Monitor {
  const serviceName = `service-${number}`;
  return {
    ...{ id: `mon_${number}`, number, key: `${serviceName}/prod/platform`, org: 'acme', serviceName },
    ...{ namespace: `${serviceName}-prod`, environment: 'prod', intervalSeconds: 30, unmanaged: false, isPublic: true },
    check: {
      ...{ kind: 'http', url: `https://${serviceName}.example.com/health`, method: 'GET' },
      ...{ expectStatus: null, expectBodyContains: null, json: null, latencyBudgetMs: null },
    },
    ...{ paused: null, archivedAt: null, maintenance: [], createdAt: AT, updatedAt: AT, revision: 1 },
    ...changes,
  };
}

/** What a check found. */
export function resultOf(monitorId: string, at: number, outcome: Outcome = 'ok'): MonitorResult {
  const isOk = outcome === 'ok';
  return {
    ...{ monitorId, at, outcome, durationMs: 20 },
    ...{ problem: isOk ? null : 'status', status: isOk ? 200 : 503, message: isOk ? null : 'It answered 503' },
  };
}
