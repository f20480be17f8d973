import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { RouteCallers } from '../../../api/http/allowed-callers.ts';
import { defineRoute } from '../../../api/http/define-route.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

it('a route that does not name its callers cannot be registered', () => {
  for (const callers of [undefined, 'anyone', '', {}, { admin: true }, ['internal']]) {
    const row = {
      method: 'get',
      path: '/x',
      summary: 'x',
      tag: 'x',
      callers: callers as RouteCallers,
      responses: {},
    } as const;
    assert.throws(() => defineRoute({ ...row, handle: async () => ({ status: 200, data: null }) }), /who may call it/);
  }
});

it('unknown routes answer 404 and wrong methods 405, as envelopes', async () => {
  const unknown = await api.call('GET', '/nothing/here');
  assert.deepEqual([unknown.status, unknown.body.error.code, unknown.body.success], [404, 'NOT_FOUND', false]);
  const wrong = await api.call('PUT', '/services', {});
  assert.deepEqual([wrong.status, wrong.body.error.code], [405, 'METHOD_NOT_ALLOWED']);
  assert.equal(wrong.headers.get('allow'), 'POST, GET');
  assert.equal((await api.call('GET', '/services/%ff')).status, 400);
});

it('bodies that are malformed, mistyped or too large answer 400, 415 and 413', async () => {
  assert.equal((await api.call('POST', '/services', '{"name":')).status, 400);
  const text = await api.call('POST', '/services', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' });
  assert.equal(text.status, 415);
  const large = await api.call('POST', '/services', JSON.stringify({ name: 'x'.repeat(3_000_000) }));
  assert.deepEqual([large.status, large.body.error.code], [413, 'PAYLOAD_TOO_LARGE']);
  assert.equal((await api.call('POST', '/services')).status, 400);
});

it('takes a sane request id, replaces another, and writes it to the log', async () => {
  const given = await api.call('GET', '/services', undefined, { 'x-request-id': 'trace-12345678' });
  assert.equal(given.headers.get('x-request-id'), 'trace-12345678');
  const made = await api.call('GET', '/services', undefined, { 'x-request-id': 'a b\tc' });
  assert.match(made.headers.get('x-request-id') ?? '', /^req_[0-9a-z]{20}$/);
  const line = api.logged.find((entry) => entry.includes('trace-12345678'));
  assert.equal(JSON.parse(line ?? '{}').path, '/services');
});

it('sends security and rate limit headers and no sign of its framework', async () => {
  const { headers } = await api.call('GET', '/services');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.match(headers.get('ratelimit') ?? '', /limit=/);
  assert.equal(headers.get('x-powered-by'), null);
});

it('health answers without a key, and 503 naming the part that fails', async () => {
  const healthy = await fetch(`${api.address}/health`);
  const body = (await healthy.json()) as {
    data: { commit: string; version: string; checks: object; uptimeSeconds: number };
  };
  assert.equal(healthy.status, 200);
  assert.deepEqual([body.data.commit, body.data.checks], ['c0ffee', { stores: 'ok' }]);
  api.checks.temporal = () => Promise.reject(new Error('connection refused at 10.0.0.1'));
  try {
    let failing = await api.call('GET', '/health');
    const deadline = Date.now() + 5_000;
    while (failing.status !== 503 && Date.now() < deadline) failing = await api.call('GET', '/health');
    assert.equal(failing.status, 503);
    assert.deepEqual(failing.body.error.details.checks, { stores: 'ok', temporal: 'failing' });
    assert.ok(!failing.text.includes('10.0.0.1'), 'a public page gives no addresses away');
    const live = await fetch(`${api.address}/health/live`);
    assert.equal(live.status, 200, 'a restart brings no database back');
    assert.deepEqual(((await live.json()) as { data: object }).data, { status: 'ok', version: body.data.version });
  } finally {
    delete api.checks.temporal;
  }
});
