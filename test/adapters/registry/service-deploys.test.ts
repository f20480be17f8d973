import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createServiceDeploys } from '../../../adapters/registry/service-deploys.ts';
import { KEY, startRegistry } from '../../support/start-registry.ts';

const AT = '2026-01-02T03:04:00.000Z';
const SHOP = { serviceName: 'shop', org: 'acme', environment: 'prod' } as const;
const COMMITS = ['1', '2', '3'].map((digit) => digit.repeat(40));

it('reads the deploys that went live, oldest first, and of a service of its own org alone', async (t) => {
  const registry = await startRegistry();
  t.after(() => registry.stop());
  await registry.call('PUT', '/v1/services/svc_1', { name: 'shop', org: 'acme', serviceSince: AT });
  const path = '/v1/services/svc_1/environments/prod/deploys';
  for (const [index, commit] of COMMITS.entries()) {
    const manifest = { commit, sdkVersions: {}, deployedBy: 'internal' };
    assert.equal((await registry.call('PUT', `${path}/bld_${index}/manifest`, manifest)).status, 200);
  }
  const deploys = createServiceDeploys({ url: registry.address, internalKey: KEY });
  const ago = new Date(Date.now() - 60_000);
  const found = await deploys.list(SHOP, ago);
  assert.deepEqual(new Set(found.map(({ commit }) => commit)), new Set(COMMITS));
  assert.deepEqual(
    found,
    found.toSorted((one, other) => one.at.getTime() - other.at.getTime()),
  );
  assert.deepEqual(await deploys.list(SHOP, new Date(Date.now() + 60_000)), []);
  assert.deepEqual(await deploys.list({ ...SHOP, environment: 'uat' }, ago), []);
  assert.deepEqual(await deploys.list({ ...SHOP, org: 'rival' }, ago), []);
  assert.deepEqual(await deploys.list({ ...SHOP, serviceName: 'nobody' }, ago), []);
  const away = createServiceDeploys({ url: 'http://127.0.0.1:1', internalKey: KEY });
  await assert.rejects(away.list(SHOP, ago), { code: 'UNAVAILABLE' });
});
