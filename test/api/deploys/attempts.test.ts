import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { buildRecord } from '../../ports/records.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
before(async () => {
  api = await startApi();
  for (const name of ['hello', 'other']) {
    await api.call('POST', '/services', { name, gitUrl: `https://git.example/a/${name}.git`, branch: 'main' });
  }
  const serviceId = (await api.services.find('hello'))?.id ?? '';
  await api.builds.create(buildRecord({ id: 'bld_failed', serviceId, service: 'hello' }));
  const end = { status: 'failed', reason: 'cancelled', failure: null, supersededBy: null } as const;
  await api.builds.finish('bld_failed', { ...end, finishedAt: new Date() });
});
after(() => api.stop());

const TRIGGER = { path: '/builds/trigger', body: { service: 'hello' } } as const;

async function ask(key: string, { path, body }: { path: string; body: object } = TRIGGER, headers = {}) {
  const { status, body: reply } = await api.call('POST', path, body, { 'idempotency-key': key, ...headers });
  assert.equal(status, 202, JSON.stringify(reply));
  return reply.data;
}

for (const [what, request] of [
  ['a deploy', TRIGGER],
  ['a retry', { path: '/builds/bld_failed/retry', body: {} }],
] as const) {
  it(`attempts of ${what} under one key are one request, also when the first arrives last`, async () => {
    const before = api.commands.requests.length;
    const answer = await ask('attempt-1', request);
    api.commands.end(answer.buildId);
    assert.deepEqual(await ask('attempt-1', request), answer);
    assert.equal(api.commands.requests.length, before + 1);
    api.commands.end(answer.buildId);
  });
}

it('an attempt that was attached names that build again, and makes none of its own', async () => {
  const { buildId } = await ask('of-another-client');
  const attached = await ask('attempt-2');
  assert.deepEqual([attached.buildId, attached.deduplicated], [buildId, true]);
  api.commands.end(buildId);
  assert.deepEqual(await ask('attempt-2'), attached);
});

for (const [what, key, ...bodies] of [
  ['commit', 'commits', { service: 'hello', commit: 'abcdef1' }, { service: 'hello', commit: 'abcdef2' }],
  ['service', 'services', { service: 'hello' }, { service: 'other' }],
  ['environment', 'environments', { service: 'hello' }, { service: 'hello', environment: 'uat' }],
  ['wait', 'waits', { service: 'hello' }, { service: 'hello', waitForGrants: true }],
] as const) {
  it(`under the key of an earlier request, one with another ${what} is refused, and starts nothing`, async () => {
    const [first, other] = bodies;
    const answer = await ask(key, { path: TRIGGER.path, body: first });
    const count = api.commands.requests.length;
    const refused = await api.call('POST', TRIGGER.path, other, { 'idempotency-key': key });
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'IDEMPOTENCY_KEY_MISMATCH']);
    assert.match(
      refused.body.error.message,
      /^Idempotency-Key: another request was sent under this key; use a new key/,
    );
    assert.equal(refused.body.error.details[0].field, 'Idempotency-Key');
    assert.equal(api.commands.requests.length, count);
    assert.deepEqual(await ask(key, { path: TRIGGER.path, body: first }), answer, 'the first goes on');
    api.commands.end(answer.buildId);
  });
}

it('of many different requests under one key at once, one is taken', async () => {
  const bodies = Array.from({ length: 10 }, (_, index) => ({ service: 'hello', branch: `branch-${index}` }));
  const headers = { 'idempotency-key': 'at-once' };
  const answers = await Promise.all(bodies.map((body) => api.call('POST', TRIGGER.path, body, headers)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [202, ...Array(9).fill(422)]);
});

it('another key, kind of build or caller is another request', async () => {
  const asked = [
    await ask('attempt-3'),
    await ask('attempt-4', { path: '/builds/trigger', body: { service: 'hello', commit: 'abcdef1' } }),
    await ask('attempt-3', { path: '/builds/bld_failed/retry', body: {} }),
    await ask('attempt-3', TRIGGER, { 'x-test-user': 'platform/member' }),
  ];
  const ids = api.commands.requests.slice(-asked.length).map(({ buildId }) => buildId);
  assert.equal(new Set(ids).size, asked.length, ids.join());
  for (const id of ids) assert.match(id, /^bld_[0-9a-z]{20}$/);
});

it('takes no key that is empty, too long or not of visible characters, and says what one is', async () => {
  for (const key of ['', ' ', 'two words', 'x'.repeat(256), 'schl\u00fcssel']) {
    const { status, body } = await api.call('POST', TRIGGER.path, TRIGGER.body, { 'idempotency-key': key });
    assert.equal(status, 400, key);
    assert.equal(body.error.details[0].field, 'Idempotency-Key');
  }
});
