import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkSecretContext, MOST_SECRETS } from '../../../domain/monitors/check-secret.ts';
import { cipher, startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const CANARY = 'canary-of-headers-91bd';
const as = (role: string, org = 'acme') => ({ 'x-test-caller': `user/${org}/${role}` });
const MEMBER = as('member');

describe('headers of checks, and their secrets', () => {
  let api: TestMonitor;
  before(async () => {
    api = await startMonitor();
  });
  after(() => api.stop());

  const set = (name: string, changes: object = {}, headers = MEMBER) =>
    api.call(
      'PUT',
      `/api/monitor-secrets/${name}`,
      { value: `Bearer ${CANARY}`, hosts: ['api.test'], ...changes },
      headers,
    );
  const list = (headers: Record<string, string> = MEMBER) =>
    api.call('GET', '/api/monitor-secrets', undefined, headers);
  const remove = (name: string, headers = MEMBER) =>
    api.call('DELETE', `/api/monitor-secrets/${name}`, undefined, headers);
  const add = (name: string, headers: readonly object[], url = 'https://api.test/health', by = MEMBER) =>
    api.call('POST', '/api/monitors', { name, check: { kind: 'http', url, headers } }, by);
  const patch = (id: string, headers: readonly object[], by: Record<string, string> = MEMBER) =>
    api.call('PATCH', `/api/monitors/${id}`, { headers }, by);
  const TOKEN = { name: 'Authorization', secret: 'token' };

  it('keeps a secret sealed for its org, name and hosts, and gives it out nowhere', async () => {
    const made = await set('token');
    assert.equal(made.status, 200, made.text);
    assert.deepEqual(
      [made.body.data.name, made.body.data.value, made.body.data.hosts, made.body.data.usedBy],
      ['token', '********', ['api.test'], 0],
    );
    const { secrets } = await api.checkSecrets.find('acme');
    assert.doesNotMatch(JSON.stringify(secrets), /canary/);
    const [{ sealed, hosts } = assert.fail()] = secrets;
    assert.equal(cipher.open(sealed, checkSecretContext('acme', { name: 'token', hosts })), `Bearer ${CANARY}`);
    for (const [org, moved] of [
      ['globex', { name: 'token', hosts }],
      ['acme', { name: 'other', hosts }],
      ['acme', { name: 'token', hosts: ['evil.test'] }],
    ] as const) {
      assert.throws(() => cipher.open(sealed, checkSecretContext(org, moved)), { code: 'INTERNAL' });
    }
  });

  it('is for members and admins of the org: viewers and others see no name', async () => {
    assert.equal((await list(as('viewer'))).status, 403);
    assert.equal((await set('token', {}, as('viewer'))).status, 403);
    assert.equal((await remove('token', as('viewer'))).status, 403);
    assert.deepEqual((await list(as('admin', 'globex'))).body.data.items, []);
    assert.equal((await remove('token', as('admin', 'globex'))).status, 404);
    const elsewhere = await api.call('GET', '/api/monitor-secrets?org=acme', undefined, as('admin', 'globex'));
    assert.equal(elsewhere.status, 403);
    assert.equal((await api.call('GET', '/api/monitor-secrets?org=acme')).body.data.items[0].name, 'token');
  });

  it('a check names a secret of its org, at a host of that, by https or at an address of the platform', async () => {
    const refusals = [
      [
        await add('a', [{ name: 'Authorization', secret: 'none' }]),
        /acme has no secret none; PUT \/api\/monitor-secrets\/none/,
      ],
      [await add('a', [TOKEN], 'https://evil.test/'), /token is not for evil\.test, only for api\.test/],
      [await add('a', [TOKEN], 'http://api.test/'), /sent by https/],
      [await add('a', [TOKEN], 'https://api.test/', as('member', 'globex')), /globex has no secret token/],
      [await add('a', [{ name: 'Authorization', value: `Bearer ${CANARY}` }]), /takes a secret/],
      [await add('a', [{ name: 'Host', value: 'evil.test' }]), /is set by the check itself/],
      [await add('a', [{ name: 'X-A', value: `a\r\n${CANARY}: 1` }]), /line break/],
    ] as const;
    for (const [answer, words] of refusals) {
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, words);
      assert.doesNotMatch(answer.text, /canary/);
    }
    await set('own', { hosts: ['shop.example.com:8000'] });
    const own = { name: 'Authorization', secret: 'own' };
    assert.equal((await add('own', [own], 'http://shop.example.com:8000/health')).status, 201);
    const tcp = await api.call(
      'POST',
      '/api/monitors',
      { name: 'db', check: { kind: 'tcp', host: 'db.test', port: 1, headers: [] } },
      MEMBER,
    );
    assert.equal(tcp.status, 400);
  });

  it('replies show which secret is sent, viewers no plain value either, and a change replaces all of them', async () => {
    const added = await add('paid', [TOKEN, { name: 'X-Tenant', value: 'acme-7' }]);
    assert.equal(added.status, 201, added.text);
    const { id } = added.body.data;
    const shown = async (role: string) =>
      (await api.call('GET', `/api/monitors/${id}`, undefined, as(role))).body.data.check.headers;
    assert.deepEqual(await shown('member'), [TOKEN, { name: 'X-Tenant', value: 'acme-7' }]);
    assert.deepEqual(await shown('viewer'), [TOKEN, { name: 'X-Tenant', value: '********' }]);
    const page = async (role: string) => (await api.call('GET', `/dashboard/monitors/${id}`, undefined, as(role))).text;
    assert.match(await page('member'), /Authorization: \(secret token\), X-Tenant: acme-7/);
    assert.match(await page('viewer'), /Authorization: \(secret token\), X-Tenant: \*{8}/);
    assert.equal((await patch(id, [], as('viewer'))).status, 403);
    assert.deepEqual((await patch(id, [TOKEN])).body.data.check.headers, [TOKEN]);
    assert.equal((await patch(id, [{ name: 'X-A', secret: 'none' }])).status, 400);
    assert.equal((await patch(id, [])).body.data.check.headers, undefined);
    assert.deepEqual((await patch(id, [TOKEN])).body.data.check.headers, [TOKEN]);
  });

  it('is not removed while a check sends it, and says whose that is; a set anew counts for them', async () => {
    const refused = await remove('token');
    assert.equal(refused.status, 409);
    assert.match(refused.text, /Checks send token: those of paid\. Change their headers first/);
    assert.equal((await list()).body.data.items.find(({ name }: { name: string }) => name === 'token').usedBy, 1);
    assert.equal((await set('token', { value: 'Bearer next' })).body.data.usedBy, 1);
    const [paid] = (await api.call('GET', '/api/monitors?q=paid', undefined, MEMBER)).body.data.items;
    await patch(paid.id, []);
    assert.equal((await remove('token')).status, 200);
    assert.equal((await remove('token')).status, 404);
    await set('token');
  });

  it('headers of a deployed service stay when it is deployed again', async () => {
    const registration = {
      serviceName: 'shop',
      org: 'acme',
      environment: 'prod',
      url: 'https://shop.example.com/health',
    };
    const register = async (changes: object = {}) =>
      (await api.call('POST', '/api/pulse/register', { ...registration, ...changes })).body.data.id;
    const id = await register();
    assert.equal((await patch(id, [{ name: 'X-Probe', value: 'yes' }])).status, 200);
    assert.equal(await register({ url: 'https://shop.example.com/up' }), id);
    const { check } = (await api.call('GET', `/api/monitors/${id}`)).body.data;
    assert.deepEqual([check.url, check.headers], ['https://shop.example.com/up', [{ name: 'X-Probe', value: 'yes' }]]);
  });

  it('an org has so many, whoever adds at once', async () => {
    const by = as('member', 'full');
    const names = Array.from({ length: MOST_SECRETS + 5 }, (_, index) => `s-${index}`);
    const statuses: number[] = [];
    for (let at = 0; at < names.length; at += 5) {
      statuses.push(
        ...(await Promise.all(names.slice(at, at + 5).map((name) => set(name, {}, by)))).map(({ status }) => status),
      );
    }
    assert.equal((await list(by)).body.data.items.length, MOST_SECRETS);
    assert.ok(statuses.includes(409));
    assert.equal((await set('s-0', {}, by)).status, 200, 'one that is there is replaced');
    assert.equal((await set('one-more', {}, by)).status, 409);
    const recorded = api.told().map(({ data }) => data.name);
    assert.deepEqual([recorded.includes('s-0'), recorded.includes('one-more')], [true, false]);
  });

  it('no reply, log line or event has the value', async () => {
    const paths = [
      '/api/monitor-secrets',
      '/api/monitors',
      '/api/pulse/status',
      '/metrics',
      '/',
      '/api/monitor-reports.csv',
    ];
    for (const path of paths) {
      for (const role of ['viewer', 'member', 'admin']) {
        assert.doesNotMatch((await api.call('GET', path, undefined, as(role))).text, /canary/, path);
      }
    }
    assert.doesNotMatch(JSON.stringify(api.told()), /canary/);
    assert.doesNotMatch(api.logged.join(''), /canary/);
    const { data } = api.told().find(({ eventType }) => eventType === 'monitor.secret_set') ?? assert.fail();
    const { name, hosts, org, ...rest } = data as Record<string, unknown>;
    assert.deepEqual([name, hosts, org, Object.keys(rest)], ['token', ['api.test'], 'acme', ['occurredAt']]);
  });
});
