import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { MonitorRegistration, UptimeMonitor } from '../../domain/deploys/uptime-monitor.ts';

export interface MonitorUnderTest {
  readonly monitor: UptimeMonitor;
  readonly monitors: ReadonlyMap<string, MonitorRegistration>;
}

const HELLO: MonitorRegistration = {
  ...{ serviceName: 'hello', org: 'acme', namespace: 'hello-prod', environment: 'prod' },
  ...{ url: 'https://hello.example/health', healthEndpoint: '/health', interval: 30 },
};

/** What every {@link UptimeMonitor} guarantees. */
export function uptimeMonitorSuite(create: (t: TestContext) => Promise<MonitorUnderTest>): void {
  it('keeps all that it is told', async (t) => {
    const { monitor, monitors } = await create(t);
    await monitor.register({ ...HELLO, expectStatus: 401 });
    assert.deepEqual([...monitors.values()], [{ ...HELLO, expectStatus: 401 }]);
  });

  it('has one monitor of an address, however often it is told of it, under one id', async (t) => {
    const { monitor, monitors } = await create(t);
    const ids = await Promise.all([1, 2, 3].map(() => monitor.register(HELLO)));
    assert.deepEqual([...monitors.keys()], [HELLO.url]);
    assert.equal(new Set(ids.map(({ monitorId }) => monitorId)).size, 1);
    assert.equal(typeof ids[0]?.monitorId, 'string');
  });

  it('has none of an address that it was told to forget, once or twice, and those of others', async (t) => {
    const { monitor, monitors } = await create(t);
    const other = { ...HELLO, serviceName: 'other', url: 'https://other.example/health' };
    for (const one of [HELLO, other]) await monitor.register(one);
    for (let time = 0; time < 2; time += 1) await monitor.unregister(HELLO);
    assert.deepEqual([...monitors.keys()], [other.url]);
  });

  it('stops when it is told to', async (t) => {
    const { monitor } = await create(t);
    const reason = new Error('cancelled');
    await monitor.register(HELLO, new AbortController().signal);
    await assert.rejects(monitor.register(HELLO, AbortSignal.abort(reason)), (error) => error === reason);
    await assert.rejects(monitor.unregister(HELLO, AbortSignal.abort(reason)), (error) => error === reason);
  });
}
