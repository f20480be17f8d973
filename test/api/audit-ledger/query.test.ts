import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { signCheckpoint, verifierKey } from '../../../domain/audit-ledger/checkpoint.ts';
import { verificationRunsSuite } from '../../ports/audit-ledger/verification-runs.ts';
import { LEDGER, startLedger, type TestLedger } from '../../support/start-ledger.ts';

const SHOP = 'shop-prod/acme';
const OTHER = 'rival-prod/rival';

describe('reading the ledger', () => {
  let ledger: TestLedger;
  const ids: string[] = [];
  let foreign = '';
  before(async () => {
    ledger = await startLedger({ verifiedAtOnce: 10 });
    for (let index = 0; index < 5; index += 1) {
      const body = {
        eventType: index < 3 ? 'order.created' : 'order.paid',
        entityId: `o-${index % 2}`,
        data: { index },
      };
      ids.push((await ledger.call(SHOP, 'POST', '/v1/events/emit', body)).body.data.eventId);
    }
    const theirs = { eventType: 'order.created', entityId: 'o-0' };
    foreign = (await ledger.call(OTHER, 'POST', '/v1/events/emit', theirs)).body.data.eventId;
  });
  after(() => ledger.stop());
  const get = (who: string | null, path: string) => ledger.call(who, 'GET', path);
  const listed = async (who: string, query: string): Promise<string[]> =>
    (await get(who, `/v1/events?${query}`)).body.data.events.map(({ id }: { id: string }) => id);

  it('a service lists the events of its own org by every filter, newest first', async () => {
    assert.deepEqual(await listed(SHOP, ''), ids.toReversed());
    assert.deepEqual(await listed(SHOP, 'entityId=o-0'), [ids[4], ids[2], ids[0]]);
    assert.deepEqual(await listed(SHOP, 'eventType=order.paid'), [ids[4], ids[3]]);
    assert.deepEqual(await listed(SHOP, 'namespace=rival'), []);
    assert.deepEqual(await listed(SHOP, 'from=2020-01-01T00:00:00Z&to=2021-01-01T00:00:00Z'), []);
    assert.deepEqual(await listed(OTHER, ''), [foreign]);
    assert.deepEqual(await listed('platform', ''), [foreign, ...ids.toReversed()]);
  });

  it('pages through them by a limit given as a string and a cursor', async () => {
    const first = (await get(SHOP, '/v1/events?limit=2')).body.data;
    const second = (await get(SHOP, `/v1/events?limit=2&cursor=${first.nextCursor}`)).body.data;
    const third = (await get(SHOP, `/v1/events?limit=2&cursor=${second.nextCursor}`)).body.data;
    const all = [first, second, third].flatMap(({ events }) => events.map(({ id }: { id: string }) => id));
    assert.deepEqual(all, ids.toReversed());
    assert.equal(third.nextCursor, null);
  });

  it('refuses filters that are none', async () => {
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=ten',
      'from=yesterday',
      'org=acme',
      'cursor=x',
      'limit=1&limit=2',
    ]) {
      const answer = await get(SHOP, `/v1/events?${query}`);
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'VALIDATION_FAILED'], query);
    }
  });

  it('one event is shown with all that its hash covers, to its own org and to the platform', async () => {
    const { data } = (await get(SHOP, `/v1/events/${ids[1]}`)).body;
    assert.deepEqual(data.data, { index: 1 });
    assert.equal((await get('platform', `/v1/events/${ids[1]}`)).status, 200);
    for (const path of [`/v1/events/${ids[1]}`, '/v1/events/evt_none']) {
      const answer = await get(OTHER, path);
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'EVENT_NOT_FOUND']);
    }
  });

  it('nothing about events is told without a credential or an org', async () => {
    for (const path of [
      '/v1/events',
      `/v1/events/${ids[0]}`,
      '/v1/entities/o-0/verify',
      '/v1/namespaces/shop/verify',
      '/v1/verifications/ver_x',
    ]) {
      assert.equal((await get(null, path)).status, 401, path);
      assert.equal((await get('shop-prod/', path)).body.error.code, 'ORG_CLAIM_MISSING', path);
    }
  });

  it('an entity is verified by its own org only, for which another’s does not exist', async () => {
    const verdict = (await get(SHOP, '/v1/entities/o-1/verify')).body.data;
    assert.deepEqual([verdict.valid, verdict.brokenAt, verdict.count], [true, null, 5]);
    assert.equal((await get(OTHER, '/v1/entities/o-1/verify')).body.error.code, 'EVENT_NOT_FOUND');
    const both = (await get('platform', '/v1/entities/o-0/verify')).body.data;
    assert.deepEqual(
      both.heads.map(({ namespace }: { namespace: string }) => namespace),
      ['rival', 'shop'],
    );
    const mine = (await get(SHOP, '/v1/entities/o-0/verify')).body.data;
    assert.deepEqual(
      mine.heads.map(({ namespace }: { namespace: string }) => namespace),
      ['shop'],
    );
  });

  it('a head that the caller expects must be there, also when everything is gone', async () => {
    const lost = `0x${'00'.repeat(32)}`;
    const answer = await get(SHOP, `/v1/entities/o-1/verify?expectedHead=${lost}`);
    assert.deepEqual([answer.body.data.valid, answer.body.data.reason], [false, 'truncated']);
    const gone = await get(SHOP, `/v1/entities/never/verify?expectedHead=${lost}`);
    assert.deepEqual([gone.body.data.valid, gone.body.data.reason], [false, 'truncated']);
    assert.equal((await get(SHOP, '/v1/entities/o-1/verify?expectedHead=0xabc')).status, 400);
  });

  it('a namespace is verified by those who have an event in it', async () => {
    assert.ok((await get(SHOP, '/v1/namespaces/shop/verify')).body.data.valid);
    assert.equal((await get(SHOP, '/v1/namespaces/rival/verify')).status, 404);
    assert.ok((await get('platform', '/v1/namespaces/rival/verify')).body.data.valid);
  });

  it('a long chain is verified in the background, for its owner alone', async () => {
    const events = Array.from({ length: 12 }, () => ({ eventType: 'a.b', entityId: 'long' }));
    await ledger.call('long-prod/acme', 'POST', '/v1/events/batch', { events });
    const started = await get(SHOP, '/v1/entities/long/verify');
    assert.equal(started.status, 202);
    const { verificationId } = started.body.data;
    assert.equal(ledger.verifications.started.get(verificationId)?.owner, 'acme');
    assert.equal((await get(SHOP, `/v1/verifications/${verificationId}`)).body.data.status, 'running');
    assert.equal((await get(OTHER, `/v1/verifications/${verificationId}`)).status, 404);
  });

  it('anybody reads keys and checkpoints, in the formats of transparency logs', async () => {
    const time = new Date('2026-11-21T12:00:00.000Z');
    const head = `0x${'ab'.repeat(32)}` as const;
    for (const namespace of ['shop', null]) {
      await ledger.checkpoints.insert(await signCheckpoint({ namespace, size: 5, head, time }, LEDGER, ledger.signer));
    }
    const ofShop = (await get(null, '/v1/checkpoints?namespace=shop')).body.data.checkpoints;
    const lines = ofShop[0].note.split('\n');
    assert.deepEqual(lines.slice(0, 5), [
      `${LEDGER}/shop`,
      '5',
      Buffer.alloc(32, 0xab).toString('base64'),
      'time 2026-11-21T12:00:00.000Z',
      '',
    ]);
    assert.match(lines[5], /^— audit\.example\.org [A-Za-z0-9+/=]{92}$/);
    const overall = (await get(null, '/v1/checkpoints')).body.data.checkpoints;
    assert.equal(overall[0].namespace, null);
    const { keys } = (await get(null, '/v1/keys')).body.data;
    assert.equal(keys.length, 2);
    const [key] = ledger.signer.keys;
    assert.ok(key);
    assert.equal(keys[0].verifierKey, verifierKey(LEDGER, key));
    assert.match(keys[0].verifierKey, /^audit\.example\.org\+[0-9a-f]{8}\+A[A-Za-z0-9+/=]{43}$/);
  });

  verificationRunsSuite(
    () => ledger.verifications,
    (work) => work(),
  );

  it('describes itself', async () => {
    const document = JSON.parse((await get(null, '/openapi.json')).text);
    const body = document.paths['/v1/events/emit'].post.requestBody.content['application/json'].schema;
    assert.deepEqual(body.required, ['eventType', 'entityId']);
    assert.equal((await get(null, '/health')).status, 200);
  });
});
