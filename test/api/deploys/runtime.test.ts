import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { releaseRecord } from '../../ports/records.ts';
import { workloadState } from '../../ports/workload-states.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

describe('GET /services/:id/runtime', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    const release = (id: string, buildId: string, environment: 'prod' | 'uat', serviceId = 'svc_shop') =>
      releaseRecord({ id, buildId, service: 'shop', serviceId, environment });
    await api.releases.put(release('rel_prod', 'bld_prod', 'prod'));
    await api.releases.activate('rel_prod', { at: new Date(), epoch: 1, buildId: 'bld_again' });
    await api.releases.put(release('rel_uat', 'bld_uat', 'uat'));
    await api.releases.activate('rel_uat', { at: new Date(), epoch: 1, buildId: 'bld_uat' });
    await api.workloadStates.put(workloadState({ buildId: 'bld_again' }));
    await api.workloadStates.put(workloadState({ buildId: 'bld_prod', status: 'stopped' }));
  });
  after(() => api.stop());

  const asViewer = { 'x-test-user': 'acme/viewer' };

  it('tells a viewer of the workload that serves, and that nothing is known of another', async () => {
    const { status, body } = await api.call('GET', '/services/shop/runtime', undefined, asViewer);
    assert.equal(status, 200);
    const [prod, uat] = body.data.environments;
    assert.deepEqual([prod.environment, prod.releaseId, prod.buildId], ['prod', 'rel_prod', 'bld_again']);
    const { measuredAt, ...state } = prod.state;
    assert.ok(Date.now() - Date.parse(measuredAt) < 60_000);
    assert.deepEqual(state, {
      ...{ status: 'running', since: '2026-01-01T00:00:00.000Z', restarts: 1, outOfMemory: false },
      health: { ok: true, status: 200, path: '/health' },
      ...{ memoryBytes: 64 * 1024 ** 2, memoryLimitBytes: 256 * 1024 ** 2, cpuMillis: 12, cpuLimitMillis: 250 },
    });
    assert.deepEqual(uat, { environment: 'uat', releaseId: 'rel_uat', buildId: 'bld_uat', state: null });
  });

  it('tells of one environment, and of none in which nothing serves', async () => {
    const of = async (environment: string) =>
      (await api.call('GET', `/services/shop/runtime?environment=${environment}`, undefined, asViewer)).body;
    assert.deepEqual(
      (await of('uat')).data.environments.map(({ environment }: { environment: string }) => environment),
      ['uat'],
    );
    assert.deepEqual((await of('sandbox')).data.environments, []);
    assert.equal((await of('moon')).error.code, 'VALIDATION_FAILED');
  });

  it('tells nothing to another org, and nothing of an earlier service of that name', async () => {
    const stranger = await api.call('GET', '/services/shop/runtime', undefined, { 'x-test-user': 'other/admin' });
    assert.deepEqual([stranger.status, stranger.body.error.code], [404, 'SERVICE_NOT_FOUND']);
    await api.services.upsert({ id: 'svc_new', name: 'notes', org: 'acme' }, {});
    await api.releases.put(
      releaseRecord({ id: 'rel_old', buildId: 'bld_old', service: 'notes', serviceId: 'svc_old' }),
    );
    await api.releases.activate('rel_old', { at: new Date(), epoch: 1, buildId: 'bld_old' });
    await api.workloadStates.put(workloadState({ buildId: 'bld_old' }));
    const { body } = await api.call('GET', '/services/notes/runtime', undefined, asViewer);
    assert.deepEqual(body.data.environments, []);
  });
});
