import type { AddressInfo } from 'node:net';
import express from 'express';
import { COMPONENTS_A_PAGE } from '../../../api/status-page/page-content.ts';
import { startMonitor } from '../../support/start-monitor.ts';

/** Serves the status page of a full page of services, and a bare express that sends the same bytes; tells both addresses. */
const DAY_MS = 86_400_000;
const monitor = await startMonitor();
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
for (let index = 0; index < COMPONENTS_A_PAGE; index += 1) {
  const serviceName = `service-${index}`;
  const body = { serviceName, org: 'platform', environment: 'prod', url: `https://${serviceName}.example.com/` };
  const { id } = (await monitor.call('POST', '/api/pulse/register', body)).body.data;
  await monitor.rollUps.write(
    Array.from({ length: 90 }, (_, day) => ({
      ...({ monitorId: id, length: '1d', startsAt: new Date(today - (day + 1) * DAY_MS) } as const),
      ...{ upMs: DAY_MS, degradedMs: 0, downMs: day % 9 === 0 ? 60_000 : 0, maintenanceMs: 0 },
      ...{ checks: 2_880, failed: 2, latency: [] },
    })),
  );
}
const { text } = await monitor.call('GET', '/', undefined, {});
const bare = express();
bare.disable('x-powered-by');
bare.disable('etag');
bare.get('/', (_request, response) => void response.type('html').send(text));
const server = bare.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ page: monitor.address, bare: `http://127.0.0.1:${port}`, bytes: Buffer.byteLength(text) });
});
