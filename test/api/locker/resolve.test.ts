import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import { assertNotLogged } from '../../support/not-logged.ts';
import { startLocker, type TestLocker } from '../../support/start-locker.ts';

let locker: TestLocker;
before(async () => {
  locker = await startLocker();
  const put = (item: string, body: unknown, org = 'acme') =>
    locker.call('PATCH', `/api/orgs/${org}/vaults/main/items/${item}`, body, { 'x-test-user': `${org}/admin` });
  const bind = (item: string, serviceId: string, org = 'acme') =>
    locker.call(
      'PUT',
      `/api/orgs/${org}/vaults/main/items/${item}/bindings/${serviceId}`,
      { service: 'shop' },
      {
        'x-test-user': `${org}/admin`,
      },
    );
  const key = { name: 'key', value: CANARY };
  const user = { name: 'user', value: 'shop@acme', secret: false };
  await put('stripe', { fields: [key, user], legacyAlias: 'OLD.stripe' });
  await put('two', { fields: [key, { name: 'other', value: CANARY }] });
  await put('plain', { fields: [user] });
  await put('sealed', { fields: [key], legacyAlias: 'OLD.sealed' });
  await put('unbound', { fields: [key], legacyAlias: 'OLD.unbound' });
  await put('unbound-sealed', { fields: [key] });
  for (const item of ['stripe', 'two', 'plain', 'sealed']) await bind(item, SHOP.serviceId);
  // What another org has, bound to acme's service: nothing is to come of it.
  await put('theirs', { fields: [key], legacyAlias: 'OLD.theirs' }, 'rival');
  await bind('theirs', SHOP.serviceId, 'rival');
  await put('stripe', { fields: [{ name: 'key', value: 'the-rival-value' }] }, 'rival');
  for (const item of ['sealed', 'unbound-sealed']) {
    await locker.call('POST', `/api/orgs/acme/vaults/main/items/${item}/seal`, {}, { 'x-test-user': 'acme/admin' });
  }
});
after(() => locker.stop());

const CANARY = 'canary-R3solve-never-told';
const SHOP = { serviceId: 'svc_shop', service: 'shop', org: 'acme' };
const BUILDER = { 'x-test-client': 'builder/platform/locker-resolve' };

const resolve = (source: object, destination: object = SHOP, headers: Readonly<Record<string, string>> = BUILDER) =>
  locker.call('POST', '/api/resolve', { source, destination }, headers);
const handle = (rest: string, owner = 'acme') => ({ handle: `lk://${owner}/main/${rest}` });

describe('POST /api/resolve', () => {
  it('gives the one secret field, a named field, and a field by its legacy alias', async () => {
    const given: [object, object][] = [
      [handle('stripe'), { handle: 'lk://acme/main/stripe/key', value: CANARY }],
      [handle('two/other'), { handle: 'lk://acme/main/two/other', value: CANARY }],
      [handle('plain/user'), { handle: 'lk://acme/main/plain/user', value: 'shop@acme' }],
      [{ legacyAlias: 'OLD.stripe' }, { handle: 'lk://acme/main/stripe/key', value: CANARY }],
    ];
    for (const [source, expected] of given) {
      const { status, body } = await resolve(source);
      assert.deepEqual([status, body.data], [200, expected]);
    }
  });

  const later = { ...SHOP, serviceId: 'svc_later' };
  const rivals = { serviceId: 'svc_rival', service: 'shop', org: 'rival' };
  const refusals: readonly [string, object, object, number, string][] = [
    ['an item that is not there', handle('none'), SHOP, 404, 'LOCKER_ITEM_NOT_FOUND'],
    ['a field that is not there', handle('stripe/none'), SHOP, 404, 'LOCKER_ITEM_NOT_FOUND'],
    [
      'a field that is called like what every object has',
      handle('stripe/constructor'),
      SHOP,
      404,
      'LOCKER_ITEM_NOT_FOUND',
    ],
    ['an alias that is not there', { legacyAlias: 'OLD.none' }, SHOP, 404, 'LOCKER_ITEM_NOT_FOUND'],
    ['an alias of another org', { legacyAlias: 'OLD.theirs' }, SHOP, 404, 'LOCKER_ITEM_NOT_FOUND'],
    ['an item that is bound to no service', handle('unbound'), SHOP, 403, 'NOT_BOUND'],
    ['an unbound item, sealed or not', handle('unbound-sealed'), SHOP, 403, 'NOT_BOUND'],
    ['a field of an unbound item, there or not', handle('unbound/none'), SHOP, 403, 'NOT_BOUND'],
    ['a later service of the same name', handle('stripe'), later, 403, 'NOT_BOUND'],
    ['an alias of an unbound item', { legacyAlias: 'OLD.unbound' }, SHOP, 403, 'NOT_BOUND'],
    ['a service of the same name of another org', handle('stripe'), rivals, 403, 'ORG_MISMATCH'],
    ['the bound service once another org owns it', handle('stripe'), { ...SHOP, org: 'rival' }, 403, 'ORG_MISMATCH'],
    ["another org's item, bound to the service", handle('theirs', 'rival'), SHOP, 403, 'ORG_MISMATCH'],
    ["another org's item that is not there", handle('none', 'rival'), SHOP, 403, 'ORG_MISMATCH'],
    ['a personal item', handle('stripe', 'me'), SHOP, 403, 'PERSONAL_NOT_RESOLVABLE'],
    [
      'a personal item for an org of that name',
      handle('stripe', 'me'),
      { ...SHOP, org: 'me' },
      403,
      'PERSONAL_NOT_RESOLVABLE',
    ],
    ['a sealed item', handle('sealed'), SHOP, 403, 'ITEM_SEALED'],
    ['a sealed item by its alias', { legacyAlias: 'OLD.sealed' }, SHOP, 403, 'ITEM_SEALED'],
    ['several secret fields', handle('two'), SHOP, 409, 'FIELD_AMBIGUOUS'],
    ['no secret field', handle('plain'), SHOP, 409, 'FIELD_AMBIGUOUS'],
  ];
  for (const [what, source, destination, status, code] of refusals) {
    it(`refuses ${what} with ${code}, and records the attempt`, async () => {
      const before = locker.told().length;
      const answer = await resolve(source, destination);
      assert.deepEqual([answer.status, answer.body.error.code], [status, code], answer.text);
      assert.ok(!answer.text.includes(CANARY));
      const [event, ...more] = locker.told().slice(before);
      assert.deepEqual([more, event?.eventType, event?.data.refused], [[], 'locker.item_resolve_refused', code]);
      const { org, service, serviceId } = destination as typeof SHOP;
      assert.deepEqual([event?.orgSlug, event?.data.service, event?.data.serviceId], [org, service, serviceId]);
      assert.deepEqual({ ...event?.data, ...source }, event?.data);
    });
  }

  it('records what it gives before it gives it, with handle and destination, and gives nothing that it cannot record', async () => {
    const before = locker.told().length;
    await resolve(handle('stripe'));
    const [event] = locker.told().slice(before);
    const { occurredAt: _, org: __, ...data } = event?.data ?? {};
    assert.deepEqual(
      [event?.eventType, event?.entityId, event?.metadata.actor],
      ['locker.item_resolved', 'lk://acme/main/stripe', 'builder'],
    );
    assert.deepEqual(data, {
      handle: 'lk://acme/main/stripe/key',
      service: 'shop',
      serviceId: 'svc_shop',
      serviceOrg: 'acme',
    });
    const away = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
    const unrecorded = await startLocker({ items: locker.items, audit: { record: () => Promise.reject(away) } });
    try {
      for (const source of [handle('stripe'), handle('none')]) {
        const answer = await unrecorded.call('POST', '/api/resolve', { source, destination: SHOP }, BUILDER);
        assert.equal(answer.status, 503);
        assert.ok(!answer.text.includes(CANARY));
      }
    } finally {
      await unrecorded.stop();
    }
  });

  it('is for clients of the list with exactly the scope: no role, key, wildcard or other client will do', async () => {
    const source = handle('stripe');
    for (const scopes of [
      '',
      '/*',
      '/locker-*',
      '/locker-resolve:*',
      '/locker',
      '/platform:manage',
      '/LOCKER-RESOLVE',
    ]) {
      const answer = await resolve(source, SHOP, { 'x-test-client': `builder/platform${scopes}` });
      assert.equal(answer.body.error.code, 'FORBIDDEN', scopes);
    }
    for (const user of ['acme/admin', 'platform/super_admin']) {
      assert.equal((await resolve(source, SHOP, { 'x-test-user': user })).status, 403, user);
    }
    const key = { 'x-internal-key': 'internal-key-of-this-test-0123456789' };
    assert.equal((await resolve(source, SHOP, key)).status, 403);
    assert.equal((await resolve(source, SHOP, {})).status, 401);
    const before = locker.told().length;
    const other = await resolve(source, SHOP, { 'x-test-client': 'shop-prod/acme/locker-resolve' });
    assert.deepEqual([other.status, other.body.error.code], [403, 'FORBIDDEN']);
    const [event] = locker.told().slice(before);
    assert.deepEqual([event?.data.refused, event?.metadata.actor], ['FORBIDDEN', 'shop-prod']);
  });

  it('refuses handles of another form without looking at anything', async () => {
    const hostile = [
      'lk://acme/main/stripe%2Fkey',
      'lk://acme/main/../main/stripe',
      'lk://аcme/main/stripe',
      `lk://acme/main/${'a'.repeat(400)}`,
    ];
    for (const source of [
      ...hostile.map((text) => ({ handle: text })),
      { legacyAlias: '../OLD' },
      { handle: 'lk://acme/main/stripe', legacyAlias: 'OLD.stripe' },
      {},
    ]) {
      const answer = await resolve(source);
      assert.equal(answer.body.error.code, 'VALIDATION_FAILED', JSON.stringify(source).slice(0, 80));
    }
    const destination = { ...SHOP, serviceId: '*' };
    assert.equal((await resolve(handle('stripe'), destination)).status, 400);
  });

  it('a value is in no log and no event', () => {
    assertNotLogged(locker.logged, '/api/resolve', [CANARY]);
    assert.ok(!JSON.stringify(locker.told()).includes(CANARY));
  });
});
