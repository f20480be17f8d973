import assert from 'node:assert/strict';
import { json } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { createUptimeMonitor } from '../../../adapters/monitor/uptime-monitor.ts';
import type { MonitorRegistration } from '../../../domain/deploys/uptime-monitor.ts';
import { uptimeMonitorSuite } from '../../ports/uptime-monitor.ts';
import { createInMemoryUptimeMonitor } from '../../support/in-memory/uptime-monitor.ts';
import { KEY } from '../../support/start-registry.ts';
import {
  answering,
  failing,
  PATIENCE_MS,
  refusedAddress,
  serveUpstream,
  UPSTREAM_FAULTS,
} from '../../support/upstream-faults.ts';

const HELLO: MonitorRegistration = {
  ...{ serviceName: 'hello', org: 'acme', namespace: 'hello-uat', environment: 'uat' },
  ...{ url: 'https://hello.uat.example/', healthEndpoint: '/', interval: 60 },
};

const connect = (url: string) => createUptimeMonitor({ url, internalKey: KEY, timeoutMs: PATIENCE_MS });

/** A monitor that speaks the protocol of the contract, and takes the key as a bearer token alone. */
async function startMonitor(t: TestContext) {
  const kept = createInMemoryUptimeMonitor();
  const url = await serveUpstream(t, async (request, response) => {
    const isCall = request.method === 'POST' && /^\/api\/pulse\/(un)?register$/.test(request.url ?? '');
    if (!isCall || request.headers.authorization !== `Bearer ${KEY}`) {
      failing(401, 'UNAUTHORIZED')(request, response);
      return;
    }
    const told = (await json(request)) as MonitorRegistration;
    if (request.url === '/api/pulse/unregister') {
      await kept.unregister(told);
      answering(200, JSON.stringify({ success: true, data: { archived: true } }))(request, response);
      return;
    }
    const { monitorId } = await kept.register(told);
    answering(201, JSON.stringify({ success: true, data: { id: monitorId } }))(request, response);
  });
  return { monitor: createUptimeMonitor({ url, internalKey: KEY }), monitors: kept.monitors };
}

describe('the uptime monitor over HTTP', () => uptimeMonitorSuite(startMonitor));

describe('the uptime monitor in memory', () => {
  uptimeMonitorSuite(async () => {
    const monitor = createInMemoryUptimeMonitor();
    return { monitor, monitors: monitor.monitors };
  });
});

describe('the client of an uptime monitor', () => {
  for (const [what, listener, message] of UPSTREAM_FAULTS) {
    it(`takes ${what} for a monitor that is away`, async (t) => {
      const monitor = connect(await serveUpstream(t, listener));
      const failure = { code: 'UNAVAILABLE', system: 'monitor', retryable: true, message };
      await assert.rejects(monitor.register(HELLO), failure);
    });
  }

  it('takes a port where nobody listens for a monitor that is away', async () => {
    const failure = { code: 'UNAVAILABLE', system: 'monitor', message: 'The uptime monitor cannot be reached.' };
    await assert.rejects(connect(await refusedAddress()).register(HELLO), failure);
  });

  it('names the key that the monitor does not take', async (t) => {
    const monitor = connect(await serveUpstream(t, failing(401, 'UNAUTHORIZED')));
    await assert.rejects(monitor.register(HELLO), { code: 'UNAVAILABLE', message: /INTERNAL_SERVICE_KEY/ });
  });

  it('passes on what the monitor refuses, which retrying does not change', async (t) => {
    const monitor = connect(await serveUpstream(t, failing(400, 'VALIDATION_FAILED', 'url: no')));
    await assert.rejects(monitor.register(HELLO), { code: 'VALIDATION_FAILED', message: 'url: no', retryable: false });
  });

  const IDS: readonly [data: string, id: string | null][] = [
    ['{"id":"mon_1"}', 'mon_1'],
    ['{"pulseMonitorId":"mon_2","id":"x"}', 'mon_2'],
    ['{}', null],
    ['null', null],
    ['{"id":7}', null],
    [JSON.stringify({ id: 'x'.repeat(201) }), null],
  ];
  for (const [data, monitorId] of IDS) {
    it(`reads ${data.slice(0, 40)} as ${monitorId === null ? 'no id' : `the id ${monitorId}`}`, async (t) => {
      const monitor = connect(await serveUpstream(t, answering(200, `{"success":true,"data":${data}}`)));
      assert.deepEqual(await monitor.register(HELLO), { monitorId });
    });
  }
});
