import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { TokenVerifier } from '../../../sdk/index.ts';
import {
  type ConsolePeople,
  createConsolePeople,
  submitted,
  verifierOf,
  wordsOf,
} from '../../support/console-people.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';
import { startLocker, type TestLocker } from '../../support/start-locker.ts';

const CANARY = 'canary-value-of-the-locker-7319';
const ITEM = '/locker/items/shop/payments';

describe('the pages of the locker', () => {
  let idp: TestIdp;
  let api: TestApi;
  let locker: TestLocker;
  let verifiers: readonly TokenVerifier[] = [];
  let people: ConsolePeople;
  let ann: UserRecord;
  let ben: UserRecord;
  let vic: UserRecord;
  let eve: UserRecord;
  before(async () => {
    idp = await startIdp();
    const [builder, forLocker] = [verifierOf(idp, 'builder'), verifierOf(idp, 'locker')];
    verifiers = [builder, forLocker];
    api = await startApi({ verifier: builder, issuer: idp.issuer });
    locker = await startLocker({}, { verifier: forLocker, issuer: idp.issuer });
    people = createConsolePeople(idp, { builder: api.address, locker: locker.address });
    for (const org of ['acme', 'rival']) await idp.seedOrg(org);
    ann = await idp.seedUser('ann@acme.example', { org: 'acme', orgRoles: ['admin'] });
    ben = await idp.seedUser('ben@acme.example', { org: 'acme', orgRoles: ['member'] });
    vic = await idp.seedUser('vic@acme.example', { org: 'acme', orgRoles: ['viewer'] });
    eve = await idp.seedUser('eve@rival.example', { org: 'rival', orgRoles: ['admin'] });
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    await api.services.upsert({ id: 'svc_rival', name: 'rival', org: 'rival' }, {});
  });
  after(async () => {
    await people?.stop();
    for (const verifier of verifiers) verifier.close();
    await locker?.stop();
    await api?.stop();
    await idp?.stop();
  });

  const stored = async () =>
    await locker.items.find({ owner: { kind: 'org', id: 'acme' }, vault: 'shop', name: 'payments' });

  it('let an admin keep a secret, which no page shows again, not even of a form that failed', async () => {
    const browser = await people.browserOf(ann);
    const given = { vault: 'shop', item: 'payments', 'fields.0.name': 'password', secret: 'on' };
    const wrong = { ...given, 'fields.0.name': 'no name', 'fields.0.value': CANARY };
    const refused = await submitted(browser, '/locker', '/locker', wrong);
    assert.match(refused, /value="no name"[^>]*aria-invalid="true"/);
    assert.equal(refused.includes(CANARY), false);
    const kept = await submitted(browser, '/locker', '/locker', { ...given, 'fields.0.value': CANARY });
    assert.match(kept, /payments is kept/);
    assert.match(kept, /lk:\/\/acme\/shop\/payments/);
    const plain = { 'fields.0.name': 'user', 'fields.0.value': '<b>ann</b>\u202e' };
    const item = await submitted(browser, ITEM, `${ITEM}/fields`, plain);
    assert.match(item, /&lt;b&gt;ann&lt;\/b&gt;⟦U\+202E⟧/);
    assert.deepEqual(
      (await stored())?.fields.map(({ name, secret }) => `${name} ${secret}`),
      ['password true', 'user false'],
    );
    const seen = [refused, kept, item, (await browser.get('/locker')).text, ...browser.logged, ...locker.logged];
    assert.equal(seen.join().includes(CANARY), false);
    assert.equal([...browser.cookies.values()].join().includes(CANARY), false);
  });

  it('show members names and plain values without any form, and a viewer nothing', async () => {
    const browser = await people.browserOf(ben);
    assert.match((await browser.get('/locker')).text, /href="\/locker\/items\/shop\/payments"/);
    for (const page of ['/locker', ITEM]) assert.doesNotMatch((await browser.get(page)).text, /action="\/locker/);
    assert.equal((await browser.submit('/locker', `${ITEM}/seal`)).status, 403);
    const viewer = await people.browserOf(vic);
    assert.equal((await viewer.get('/locker')).status, 403);
    assert.equal((await viewer.get(ITEM)).status, 403);
  });

  it('answer 404 for an item of another org, and change nothing', async () => {
    const browser = await people.browserOf(eve);
    assert.equal((await browser.get(ITEM)).status, 404);
    assert.doesNotMatch((await browser.get('/locker')).text, /payments/);
    const before = await stored();
    const forms: readonly (readonly [string, Record<string, string>])[] = [
      ['fields/password/remove', {}],
      ['seal', {}],
      ['remove', {}],
      ['bindings', { service: 'svc_rival rival' }],
      ['bindings/svc_shop/remove', {}],
    ];
    for (const [rest, fields] of forms) {
      assert.match(
        wordsOf(await submitted(browser, '/locker', `${ITEM}/${rest}`, fields)),
        /There is nothing here/,
        rest,
      );
    }
    assert.deepEqual(await stored(), before);
  });

  it('bind an item to a service of the list, and take the binding away', async () => {
    const browser = await people.browserOf(ann);
    const { text } = await browser.get(ITEM);
    assert.match(text, /<option value="svc_shop shop">/);
    assert.doesNotMatch(text, /svc_rival/);
    const bound = await submitted(browser, ITEM, `${ITEM}/bindings`, { service: 'svc_shop shop' });
    assert.match(bound, /action="\/locker\/items\/shop\/payments\/bindings\/svc_shop\/remove"/);
    assert.ok(bound.includes('--from-locker lk://acme/shop/payments'), 'how the service copies it');
    assert.deepEqual(
      (await stored())?.bindings.map(({ serviceId }) => serviceId),
      ['svc_shop'],
    );
    await submitted(browser, ITEM, `${ITEM}/bindings/svc_shop/remove`);
    assert.deepEqual((await stored())?.bindings, []);
  });

  it('remove a field, seal an item, and remove it', async () => {
    const browser = await people.browserOf(ann);
    await submitted(browser, ITEM, `${ITEM}/fields/user/remove`);
    assert.deepEqual(
      (await stored())?.fields.map(({ name }) => name),
      ['password'],
    );
    assert.match(await submitted(browser, ITEM, `${ITEM}/seal`), /Sealed/);
    assert.ok((await stored())?.sealedAt);
    assert.match(await submitted(browser, ITEM, `${ITEM}/remove`), /payments is removed/);
    assert.equal(await stored(), null);
  });

  it('keep what is a person’s own for them alone, a viewer as well', async () => {
    const browser = await people.browserOf(vic);
    const given = { vault: 'mine', item: 'mail', 'fields.0.name': 'password', 'fields.0.value': 'x', secret: 'on' };
    const kept = await submitted(browser, '/locker/own', '/locker/own', given);
    assert.match(kept, /lk:\/\/me\/mine\/mail/);
    assert.doesNotMatch(kept, /bindings/);
    const other = await people.browserOf(ann);
    assert.equal((await other.get('/locker/own/items/mine/mail')).status, 404);
    assert.doesNotMatch((await other.get('/locker/own')).text, /mail<\/a>/);
  });
});
