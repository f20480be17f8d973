import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDomainMonitors } from '../../../adapters/monitor/domain-monitors.ts';
import { KEY, startMonitor } from '../../support/start-monitor.ts';
import { PATIENCE_MS, serveUpstream, UPSTREAM_FAULTS } from '../../support/upstream-faults.ts';

const NAME = { service: 'shop', environment: 'prod', domain: 'shop.custom.dev' } as const;

describe('the monitors of custom domains over HTTP', () => {
  it('ends the one of a name, and no other one of its service; none is no error', async (t) => {
    const api = await startMonitor();
    t.after(() => api.stop());
    const register = async (url: string): Promise<string> => {
      const body = { serviceName: 'shop', environment: 'prod', url, healthEndpoint: '/health' };
      return (await api.call('POST', '/api/pulse/register', body)).body.data.id;
    };
    const ids = await Promise.all(
      ['https://shop.example.com', 'https://shop.custom.dev', 'https://www.shop.custom.dev'].map(register),
    );
    const monitors = createDomainMonitors({ url: api.address, internalKey: KEY });
    for (let time = 0; time < 2; time += 1) await monitors.remove(NAME);
    await monitors.remove({ ...NAME, domain: 'other.custom.dev' });
    const archived = await Promise.all(ids.map(async (id) => (await api.monitors.find(id))?.archivedAt !== null));
    assert.deepEqual(archived, [false, true, false]);
  });

  for (const [what, listener, message] of UPSTREAM_FAULTS) {
    it(`takes ${what} for a monitor that is away`, async (t) => {
      const url = await serveUpstream(t, listener);
      const monitors = createDomainMonitors({ url, internalKey: KEY, timeoutMs: PATIENCE_MS });
      await assert.rejects(monitors.remove(NAME), { code: 'UNAVAILABLE', system: 'monitor', retryable: true, message });
    });
  }
});
