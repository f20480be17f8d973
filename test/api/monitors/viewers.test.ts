import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startMonitor } from '../../support/start-monitor.ts';

const as = (role: string) => ({ 'x-test-caller': `user/acme/${role}` });

it('a viewer sees the address that is checked without its query, and does not find it by that: it may hold a key', async (t) => {
  const api = await startMonitor();
  t.after(() => api.stop());
  const url = 'https://shop.example.com/health?key=s3cret';
  const add = { name: 'shop', environment: 'prod', check: { kind: 'http', url } };
  const added = await api.call('POST', '/api/monitors', add, as('member'));
  assert.equal(added.status, 201, added.text);
  const { id } = added.body.data;
  const paths = ['/api/monitors', `/api/monitors/${id}`];
  for (const path of paths) {
    const seen = await api.call('GET', path, undefined, as('viewer'));
    assert.ok(seen.text.includes('https://shop.example.com/health'), path);
    assert.ok(!seen.text.includes('s3cret'), path);
    for (const role of ['member', 'admin']) {
      assert.ok((await api.call('GET', path, undefined, as(role))).text.includes(url), `${path} as ${role}`);
    }
    assert.ok((await api.call('GET', path)).text.includes(url), `${path} by the platform`);
  }
  const found = async (role: string) => (await api.call('GET', '/api/monitors?q=s3c', undefined, as(role))).body;
  assert.equal((await found('viewer')).data.items.length, 0);
  assert.equal((await found('member')).data.items.length, 1);
});
