import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import { startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const MEMBER = { 'x-test-caller': 'user/acme/member' };

describe('monitors whose source is gone', () => {
  let api: TestMonitor;
  let services: ReadonlySet<string> | null;
  let domains: ReadonlySet<string> | null;
  const read = async (list: ReadonlySet<string> | null) => {
    if (list !== null) return list;
    throw new FairleadError('UNAVAILABLE', 'The list cannot be read', { retryable: true });
  };
  before(async () => {
    const changes = { targets: { list: () => read(services) }, domains: { list: () => read(domains) } };
    api = await startMonitor({ changes });
  });
  after(() => api.stop());

  const register = async (serviceName: string, url: string): Promise<string> => {
    const body = { serviceName, org: 'acme', environment: 'prod', url };
    return (await api.call('POST', '/api/pulse/register', body)).body.data.id;
  };
  const remove = (id: string) => api.call('DELETE', `/api/monitors/${id}`, undefined, MEMBER);

  it('are archived by their org; of a service or domain that is there nobody archives one', async () => {
    const [own, atDomain] = [
      await register('shop', 'https://shop.example.com/health'),
      await register('shop', 'https://shop.custom.dev/health'),
    ];
    [services, domains] = [new Set(['shop/prod']), new Set(['shop/prod/shop.custom.dev'])];
    for (const [id, words] of [
      [own, /belongs to a deployed service/],
      [atDomain, /belongs to the custom domain shop\.custom\.dev/],
    ] as const) {
      const { status, body } = await remove(id);
      assert.deepEqual([status, body.error.code], [409, 'CONFLICT']);
      assert.match(body.error.message, words);
    }
    domains = new Set();
    const events = api.told().length;
    const { status, body } = await remove(atDomain);
    assert.deepEqual([status, typeof body.data.archivedAt], [200, 'string']);
    assert.deepEqual(
      api
        .told()
        .slice(events)
        .map(({ eventType }) => eventType),
      ['monitor.archived'],
    );
    assert.equal((await remove(own)).status, 409);
    services = new Set();
    assert.equal((await remove(own)).status, 200);
    assert.equal((await remove(own)).status, 200, 'once more changes nothing');
  });

  it('stay while nobody can say whether their source is gone', async () => {
    const id = await register('blog', 'https://blog.custom.dev/');
    [services, domains] = [null, new Set()];
    assert.equal((await remove(id)).status, 503);
    [services, domains] = [new Set(['blog/prod']), null];
    assert.equal((await remove(id)).status, 503);
    assert.equal((await api.monitors.find(id))?.archivedAt, null);
  });
});
