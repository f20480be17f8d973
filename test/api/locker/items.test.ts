import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isForwarded } from '../../../domain/audit/forwarded-types.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { createInMemoryLockerStore } from '../../support/in-memory/locker-store.ts';
import { assertNotLogged } from '../../support/not-logged.ts';
import { KEY, startLocker, type TestLocker } from '../../support/start-locker.ts';

let locker: TestLocker;
before(async () => {
  locker = await startLocker();
});
after(() => locker.stop());

const CANARY = 'canary-L0ck-never-shown';
const ADMIN = { 'x-test-user': 'acme/admin' };
const MEMBER = { 'x-test-user': 'acme/member' };
const path = (item: string, org = 'acme') => `/api/orgs/${org}/vaults/main/items/${item}`;
const put = (item: string, fields: unknown, more: object = {}, headers = ADMIN) =>
  locker.call('PATCH', path(item), { fields, ...more }, headers);

it('stores an item, shows its names and plain values to members, and no secret to anybody', async () => {
  const fields = [
    { name: 'user', value: 'shop@acme', secret: false },
    { name: 'password', value: CANARY },
  ];
  const stored = await put('mail', fields, { legacyAlias: 'MAIL' });
  assert.equal(stored.status, 200, stored.text);
  const { id, createdAt, updatedAt, ...view } = stored.body.data;
  assert.match(id, /^itm_/);
  assert.equal(createdAt, updatedAt);
  const plain = {
    ...{ handle: 'lk://acme/main/mail', vault: 'main', name: 'mail' },
    bindings: [],
    legacyAlias: 'MAIL',
  };
  assert.deepEqual(view, {
    ...plain,
    ...{ sealedAt: null, updatedBy: 'usr_test' },
    fields: [
      { name: 'password', secret: true, value: '********' },
      { name: 'user', secret: false, value: 'shop@acme' },
    ],
  });
  const one = await locker.call('GET', path('mail'), undefined, MEMBER);
  assert.deepEqual(one.body.data, stored.body.data);
  const list = await locker.call('GET', '/api/orgs/acme/items?vault=main', undefined, MEMBER);
  assert.deepEqual(list.body.data.items[0].fields, [
    { name: 'password', secret: true },
    { name: 'user', secret: false },
  ]);
  const vaults = await locker.call('GET', '/api/orgs/acme/vaults', undefined, MEMBER);
  assert.deepEqual(vaults.body.data, { items: [{ name: 'main', items: 1 }] });
  for (const { text } of [stored, one, list, vaults]) assert.ok(!text.includes(CANARY));
  assert.ok(
    !JSON.stringify(
      await locker.items.find({ owner: { kind: 'org', id: 'acme' }, vault: 'main', name: 'mail' }),
    ).includes(CANARY),
  );
  assert.ok(!JSON.stringify(locker.told()).includes(CANARY));
  assertNotLogged(locker.logged, '/vaults/main/items/mail', [CANARY]);
});

it('tells the ledger of each change with the handle and the names of fields', async () => {
  await put('told', [{ name: 'key', value: 'v' }]);
  await locker.call('PUT', `${path('told')}/bindings/svc_shop`, { service: 'shop' }, ADMIN);
  await locker.call('DELETE', `${path('told')}/bindings/svc_shop`, undefined, ADMIN);
  await locker.call('POST', `${path('told')}/seal`, {}, ADMIN);
  await locker.call('DELETE', path('told'), undefined, ADMIN);
  const events = locker.told().filter(({ entityId }) => entityId === 'lk://acme/main/told');
  assert.deepEqual(
    events.map(({ eventType, orgSlug }) => [eventType, orgSlug]),
    ['changed', 'bound', 'unbound', 'sealed', 'removed'].map((done) => [`locker.item_${done}`, 'acme']),
  );
  assert.deepEqual([events[0]?.data.fields, events[1]?.data.serviceId], [['key'], 'svc_shop']);
});

describe('an org that the identity provider does not know', () => {
  const KEYED = { 'x-internal-key': KEY };
  const fields = [{ name: 'key', value: 'v' }];
  /** Knows acme alone, and counts who is asked for. */
  const knowing = () => {
    const asked: string[] = [];
    const requireOrg = async (slug: string): Promise<void> => {
      asked.push(slug);
      if (slug === 'away') throw new FairleadError('UNAVAILABLE', 'The identity provider is away', { retryable: true });
      if (slug !== 'acme') throw new FairleadError('ORG_NOT_FOUND', 'There is no such org, or you are not in it');
    };
    return { asked, orgs: { requireOrg } };
  };

  it('gets no item by the internal key or from an administrator: the refusal names the field', async () => {
    const { orgs } = knowing();
    const asking = await startLocker({ orgs });
    try {
      for (const headers of [KEYED, { 'x-test-user': 'platform/super_admin' }]) {
        const refused = await asking.call('PATCH', path('mail', 'acmee'), { fields }, headers);
        assert.deepEqual([refused.status, refused.body.error.code], [404, 'ORG_NOT_FOUND'], refused.text);
        assert.equal(refused.body.error.details[0].field, 'org');
        assert.match(refused.body.error.message, /no org acmee: a handle is lk:\/\/<org>/);
      }
      const away = await asking.call('PATCH', path('mail', 'away'), { fields }, KEYED);
      assert.deepEqual([away.status, away.body.error.code], [503, 'UNAVAILABLE']);
      const kept = await asking.call('GET', '/api/orgs/acmee/items', undefined, KEYED);
      assert.deepEqual(kept.body.data.items, []);
      assert.deepEqual(asking.told(), []);
    } finally {
      await asking.stop();
    }
  });

  it('is asked for once, with the first write of an item, and never for who acts in it', async () => {
    const { orgs, asked } = knowing();
    const asking = await startLocker({ orgs });
    try {
      for (const [item, headers] of [
        ['one', KEYED],
        ['one', KEYED],
        ['two', ADMIN],
      ] as const) {
        const stored = await asking.call('PATCH', path(item), { fields }, headers);
        assert.equal(stored.status, 200, stored.text);
      }
      assert.deepEqual(asked, ['acme']);
    } finally {
      await asking.stop();
    }
  });
});

it('does not change what it cannot record', async () => {
  const items = createInMemoryLockerStore();
  const away = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
  const unrecorded = await startLocker({ items, audit: { record: () => Promise.reject(away) } });
  try {
    const body = { fields: [{ name: 'key', value: 'v' }] };
    assert.equal((await unrecorded.call('PATCH', path('none'), body, ADMIN)).status, 503);
    assert.deepEqual(await items.vaults({ kind: 'org', id: 'acme' }), []);
  } finally {
    await unrecorded.stop();
  }
});

it('what was removed, and another org’s, is not there for who asks', async () => {
  await put('gone', [{ name: 'key', value: 'v' }]);
  assert.equal((await locker.call('DELETE', path('gone'), undefined, ADMIN)).status, 200);
  for (const [method, more, body] of [
    ['GET', '', undefined],
    ['DELETE', '', undefined],
    ['POST', '/seal', {}],
    ['PUT', '/bindings/svc_1', { service: 'shop' }],
  ] as const) {
    const answer = await locker.call(method, path('gone') + more, body, ADMIN);
    assert.equal(answer.body.error.code, 'LOCKER_ITEM_NOT_FOUND', `${method} ${more}`);
    const rival = await locker.call(method, path('mail') + more, body, { 'x-test-user': 'rival/admin' });
    assert.equal(rival.body.error.code, 'ORG_NOT_FOUND', `${method} ${more}`);
  }
});

it('of many changes of one item at once, none is lost', async () => {
  await put('busy', [{ name: 'first', value: 'v' }]);
  const names = Array.from({ length: 8 }, (_, index) => `f${index}`);
  const answers = await Promise.all(names.map((name) => put('busy', [{ name, value: 'v' }])));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const { body } = await locker.call('GET', path('busy'), undefined, MEMBER);
  assert.deepEqual(
    body.data.fields.map(({ name }: { name: string }) => name),
    [...names, 'first'],
  );
});

it('refuses names and values of another form without repeating a value', async () => {
  const long = CANARY.repeat(2_000);
  const refused: [string, unknown][] = [
    [path('a%2Fb'), { fields: [{ name: 'k', value: CANARY }] }],
    [path('..%2fother'), { fields: [{ name: 'k', value: CANARY }] }],
    [path('Upper'), { fields: [{ name: 'k', value: CANARY }] }],
    [path('x'.repeat(64)), { fields: [{ name: 'k', value: CANARY }] }],
    [path('fine'), { fields: [{ name: '__proto__', value: CANARY }] }],
    [path('fine'), { fields: [{ name: 'k', value: long }] }],
    [path('fine'), { fields: [{ name: 'k', value: '' }] }],
    [path('fine'), { fields: [{ name: 'k', value: { is: CANARY } }] }],
    [path('fine'), { fields: [{ name: 'k', value: CANARY }], legacyAlias: 'a/b' }],
    [path('fine'), { fields: Array.from({ length: 21 }, (_, index) => ({ name: `f${index}`, value: CANARY })) }],
    [path('fine'), {}],
  ];
  for (const [at, body] of refused) {
    const answer = await locker.call('PATCH', at, body, ADMIN);
    assert.equal(answer.body.error.code, 'VALIDATION_FAILED', at);
    assert.ok(!answer.text.includes(CANARY), answer.text);
  }
  assert.equal((await locker.call('GET', path('fine'), undefined, ADMIN)).status, 404);
});

it('an org that is called like the owner of personal handles has no locker', async () => {
  const answer = await locker.call('GET', '/api/orgs/me/vaults', undefined, { 'x-test-user': 'me/admin' });
  assert.equal(answer.body.error.code, 'ORG_NOT_FOUND');
});

it('what a person keeps is theirs alone to see and to read, is bound to no service, and stays out of the ledger', async () => {
  const own = '/api/me/vaults/main/items/router';
  const eve = { 'x-test-user': 'usr_eve@acme/admin' };
  const told = locker.told().length;
  const body = { fields: [{ name: 'pin', value: CANARY }] };
  const stored = await locker.call('PATCH', own, body, MEMBER);
  assert.equal(stored.body.data.handle, 'lk://me/main/router');
  assert.ok(!stored.text.includes(CANARY));
  const values = await locker.call('GET', `${own}/values`, undefined, MEMBER);
  assert.deepEqual(values.body.data, { values: [{ name: 'pin', value: CANARY }] });
  for (const headers of [eve, { 'x-test-user': 'usr_root@platform/super_admin' }]) {
    assert.equal((await locker.call('GET', `${own}/values`, undefined, headers)).status, 404);
    assert.deepEqual((await locker.call('GET', '/api/me/vaults', undefined, headers)).body.data.items, []);
  }
  assert.equal((await locker.call('PUT', `${own}/bindings/svc_1`, { service: 'shop' }, MEMBER)).status, 404);
  assert.equal((await locker.call('PATCH', own, { legacyAlias: 'OLD' }, MEMBER)).status, 400);
  await locker.call('POST', `${own}/seal`, {}, MEMBER);
  assert.equal((await locker.call('GET', `${own}/values`, undefined, MEMBER)).body.error.code, 'ITEM_SEALED');
  const events = locker.told().slice(told);
  assert.ok(events.length > 0);
  for (const { eventType: type } of events) assert.ok(!isForwarded({ type }), type);
  assertNotLogged(locker.logged, '/api/me/vaults', [CANARY]);
});
