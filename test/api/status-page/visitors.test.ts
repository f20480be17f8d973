import assert from 'node:assert/strict';
import { request } from 'node:http';
import { it } from 'node:test';
import { makeEdgeFixture } from '../../adapters/edge-router/edge-fixture.ts';
import { startMonitor } from '../../support/start-monitor.ts';

const HOST = 'status.localhost';

it('behind the platform’s own router one visitor uses nothing up of another, and nobody else says whom they ask for', async (t) => {
  const monitor = await startMonitor({ requestsPerMinute: 3 });
  t.after(() => monitor.stop());
  const router = await makeEdgeFixture({}, undefined, {
    statusPage: {
      ...{ statusUrl: `http://${HOST}:8000`, monitorUrl: monitor.address },
      ...{ folder: '/nonexistent', platformOrg: 'platform' },
    },
  });
  t.after(() => router.end());
  const look = (port: number, localAddress: string, headers: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const asked = { host: '127.0.0.1', port, localAddress, agent: false, headers: { host: HOST, ...headers } };
      request(asked, (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)))
        .once('error', reject)
        .end();
    });
  const looks = async (...given: Parameters<typeof look>) => {
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push(await look(...given));
    return statuses;
  };
  const limited = [200, 200, 200, 429];
  assert.deepEqual(await looks(router.port, '127.0.0.11'), limited);
  assert.deepEqual(await looks(router.port, '127.0.0.12'), limited);
  const own = Number(new URL(monitor.address).port);
  assert.deepEqual(await looks(own, '127.0.0.13', { 'x-forwarded-for': '127.0.0.14' }), limited);
  assert.equal(await look(router.port, '127.0.0.14'), 200);
});
