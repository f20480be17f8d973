import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hashOfEvent, sha256 } from '../../../domain/audit-ledger/hash.ts';
import { isReceiptSigned } from '../../../domain/audit-ledger/receipt.ts';
import { LEDGER, startLedger, type TestLedger } from '../../support/start-ledger.ts';

const SHOP = 'shop-prod/acme';
const event = (changes: object = {}) => ({ eventType: 'payment.created', entityId: 'order-1', ...changes });

describe('POST /v1/events/emit', () => {
  let ledger: TestLedger;
  before(async () => {
    ledger = await startLedger();
  });
  after(() => ledger.stop());
  const emit = (who: string | null, body: unknown, headers: Record<string, string> = {}) =>
    ledger.call(who, 'POST', '/v1/events/emit', body, headers);

  it('chains the event in the namespace of the service, under the org of its token', async () => {
    const first = await emit('billing-prod/acme', event({ data: { b: 2, a: 1 }, metadata: { who: 'ann' } }));
    assert.equal(first.status, 201);
    assert.equal(first.body.data.chainIndex, 0);
    const second = await emit('billing-sandbox/acme', event());
    assert.equal(second.body.data.chainIndex, 1);
    const stored = await ledger.store.find(first.body.data.eventId);
    assert.ok(stored);
    assert.equal(stored.namespace, 'billing');
    assert.equal(stored.orgSlug, 'acme');
    assert.equal(stored.emitter, 'billing-prod');
    assert.equal(stored.payload, '{"data":{"a":1,"b":2},"metadata":{"who":"ann"}}');
    assert.equal(stored.eventHash, hashOfEvent(stored));
    assert.equal(second.body.data.receipt.prevHash, stored.eventHash);
  });

  it('answers with a receipt that the published keys verify, and that no change survives', async () => {
    const { receipt } = (await emit(SHOP, event())).body.data;
    const published = (await ledger.call(null, 'GET', '/v1/keys')).body.data;
    assert.equal(published.ledger, LEDGER);
    assert.ok(isReceiptSigned(receipt, published.keys));
    for (const [field, value] of Object.entries(receipt)) {
      if (field === 'signature' || field === 'keyId') continue;
      const changed = { ...receipt, [field]: typeof value === 'number' ? value + 1 : `${value}0` };
      assert.ok(!isReceiptSigned(changed, published.keys), field);
    }
    assert.ok(!isReceiptSigned({ ...receipt, keyId: published.keys[1].keyId }, published.keys));
  });

  it('refuses who has no credential or no org, in the words that services know', async () => {
    const nobody = await emit(null, event());
    assert.equal(nobody.status, 401);
    assert.match(nobody.body.error.message, /Authorization header required/);
    const homeless = await emit('shop-prod/', event());
    assert.deepEqual([homeless.status, homeless.body.error.code], [403, 'ORG_CLAIM_MISSING']);
  });

  it('a service writes to its own namespace only, the platform to any but the ledger’s own', async () => {
    assert.equal((await emit(SHOP, event({ namespace: 'shop' }))).status, 201);
    assert.equal((await emit(SHOP, event({ namespace: 'billing' }))).status, 403);
    assert.equal((await emit('platform', event({ namespace: 'billing' }))).status, 201);
    assert.equal((await emit('platform', event())).status, 400);
    for (const who of [SHOP, 'platform', 'ledger/acme']) {
      assert.equal((await emit(who, event({ namespace: 'ledger' }))).status, 403, who);
      for (const eventType of ['ledger.day_closed', 'ledger.closed', 'anchor.missed']) {
        assert.equal((await emit(who, event({ namespace: 'shop', eventType }))).status, 403, eventType);
      }
    }
  });

  it('the internal key names the org that owns the event; what names none is the platform’s own', async () => {
    const ownerOf = async (orgSlug?: string) => {
      const { body } = await emit('platform', event({ namespace: 'builder', orgSlug }));
      return (await ledger.store.find(body.data.eventId))?.orgSlug;
    };
    assert.equal(await ownerOf('acme'), 'acme');
    assert.equal(await ownerOf(), 'platform');
    assert.equal((await emit('platform', event({ namespace: 'builder', orgSlug: 'No Slug' }))).status, 400);
  });

  it('refuses what is no event, naming every field and what to do', async () => {
    const cases: readonly [object, RegExp][] = [
      [event({ eventType: 'Payment.Created' }), /eventType: must be/],
      [event({ eventType: 'payment-created.x' }), /eventType/],
      [event({ eventType: 'payment' }), /eventType/],
      [event({ eventType: `a.${'b'.repeat(200)}` }), /eventType/],
      [event({ entityId: '' }), /entityId/],
      [event({ entityId: 'a\u0000b' }), /entityId/],
      [event({ entityId: 'x'.repeat(257) }), /entityId/],
      [event({ data: [] }), /data: must be a JSON object/],
      [event({ data: 'text' }), /data/],
      [event({ createdAt: '2020-01-01T00:00:00Z' }), /createdAt: the ledger sets the time/],
      [event({ orgSlug: 'other' }), /orgSlug: the org is that of your token/],
      [event({ constructor: 1 }), /constructor: unknown field/],
      [event({ namespace: 'Not A Label' }), /namespace/],
      [event({ data: { deep: nested(40) } }), /nested deeper than 32/],
      [event({ data: { text: '\ud800' } }), /data.text is not well-formed/],
      [event({ data: { big: 2 ** 60 } }), /data.big is an integer beyond 2\^53/],
      [{ entityId: 'x' }, /eventType/],
      [[], /body/],
    ];
    for (const [body, message] of cases) {
      const answer = await emit(SHOP, body);
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'EVENT_INVALID'], message.source);
      assert.match(answer.body.error.message, message);
    }
  });

  it('takes what only looks dangerous, and hashes it as it is', async () => {
    const data =
      '{"__proto__":{"admin":true},"toJSON":"text","$where":"1","a.b":-0,"e":1e-7,"u":"\\u20ac\\ud83d\\ude00"}';
    const answer = await emit(SHOP, `{"eventType":"odd.keys","entityId":"ä 😀 $ne","data":${data}}`);
    assert.equal(answer.status, 201);
    const stored = await ledger.store.find(answer.body.data.eventId);
    const canonical = '{"$where":"1","__proto__":{"admin":true},"a.b":0,"e":1e-7,"toJSON":"text","u":"€😀"}';
    assert.equal(stored?.payload, `{"data":${canonical},"metadata":{}}`);
    const view = await ledger.call(SHOP, 'GET', `/v1/events/${answer.body.data.eventId}`);
    assert.equal(view.body.data.payloadHash, sha256(stored?.payload ?? ''));
  });

  it('a payload may have 64 KiB of canonical JSON, and not a byte more', async () => {
    const frame = '{"data":{"x":""},"metadata":{}}'.length;
    const fits = await emit(SHOP, event({ data: { x: 'y'.repeat(65_536 - frame) } }));
    assert.equal(fits.status, 201);
    const over = await emit(SHOP, event({ data: { x: 'y'.repeat(65_537 - frame) } }));
    assert.deepEqual([over.status, over.body.error.code], [413, 'EVENT_TOO_LARGE']);
  });

  it('a repeat under an Idempotency-Key answers as the first, another event under it is refused', async () => {
    const headers = { 'idempotency-key': 'order-1/created' };
    const first = await emit(SHOP, event({ entityId: 'idem' }), headers);
    const again = await emit(SHOP, event({ entityId: 'idem' }), headers);
    assert.deepEqual([again.status, again.body], [201, first.body]);
    const other = await emit(SHOP, event({ entityId: 'else' }), headers);
    assert.deepEqual([other.status, other.body.error.code], [409, 'IDEMPOTENCY_KEY_REUSED']);
    assert.equal((await emit(SHOP, event(), { 'idempotency-key': 'a b' })).status, 400);
  });
});

describe('POST /v1/events/batch', () => {
  let ledger: TestLedger;
  before(async () => {
    ledger = await startLedger();
  });
  after(() => ledger.stop());
  const batch = (body: unknown, headers: Record<string, string> = {}) =>
    ledger.call(SHOP, 'POST', '/v1/events/batch', body, headers);
  const many = (count: number) => Array.from({ length: count }, (_, index) => event({ entityId: `e-${index}` }));

  it('chains 500 events in their order, each with a receipt of its own', async () => {
    const answer = await batch({ events: many(500) });
    assert.equal(answer.status, 201);
    const { events } = answer.body.data;
    assert.deepEqual(
      events.map(({ chainIndex }: { chainIndex: number }) => chainIndex),
      many(500).map((_, index) => index),
    );
    for (const { receipt } of events) assert.ok(isReceiptSigned(receipt, ledger.signer.keys));
  });

  it('writes nothing when one of them is wrong, and says which', async () => {
    const before = await ledger.store.head('shop');
    const answer = await batch({ events: [...many(3), { eventType: 'Bad', entityId: 'x' }] });
    assert.equal(answer.body.error.code, 'EVENT_INVALID');
    assert.match(answer.body.error.message, /^events\[3\]: /);
    assert.equal(answer.body.error.details.index, 3);
    assert.deepEqual(await ledger.store.head('shop'), before);
  });

  it('refuses none, more than 500, and anything else', async () => {
    for (const body of [{ events: [] }, { events: many(501) }, {}, [], { events: many(1), extra: 1 }]) {
      assert.equal((await batch(body)).body.error.code, 'EVENT_INVALID');
    }
  });

  it('a repeat under an Idempotency-Key writes nothing twice', async () => {
    const headers = { 'idempotency-key': 'nightly' };
    const first = await batch({ events: many(20) }, headers);
    const again = await batch({ events: many(20) }, headers);
    assert.deepEqual(again.body, first.body);
  });
});

describe('the emit limit', () => {
  let ledger: TestLedger;
  let time = new Date('2026-11-21T12:00:10.000Z');
  before(async () => {
    ledger = await startLedger({ emitLimit: 5, now: () => time });
  });
  after(() => ledger.stop());
  const emit = (who: string) => ledger.call(who, 'POST', '/v1/events/emit', event());

  it('lets exactly that many through in a minute of one org and sub, and says when to go on', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => emit(SHOP)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 5);
    const refused = answers.find(({ status }) => status === 429);
    assert.equal(refused?.body.error.code, 'RATE_LIMIT_EXCEEDED');
    assert.equal(refused?.body.error.details.error, 'rate_limit_exceeded');
    assert.equal(refused?.headers.get('retry-after'), '50');
    assert.equal(refused?.headers.get('ratelimit'), 'limit=5, remaining=0, reset=50');
    assert.equal(refused?.headers.get('ratelimit-policy'), '5;w=60');
    assert.equal((await emit('shop-prod/other')).status, 201);
    assert.equal((await emit('shop-uat/acme')).headers.get('ratelimit'), 'limit=5, remaining=4, reset=50');
  });

  it('each service that uses the internal key has a window of its own for each org', async () => {
    const asPlatform = async (namespace: string, orgSlug?: string): Promise<string | null> => {
      const answer = await ledger.call('platform', 'POST', '/v1/events/emit', event({ namespace, orgSlug }));
      assert.equal(answer.status, 201);
      return answer.headers.get('ratelimit');
    };
    const first = 'limit=5, remaining=4, reset=50';
    assert.equal(await asPlatform('builder', 'acme'), first);
    assert.equal(await asPlatform('builder', 'other'), first);
    assert.equal(await asPlatform('identity', 'acme'), first);
    assert.equal(await asPlatform('builder'), first);
    assert.equal(await asPlatform('builder', 'acme'), 'limit=5, remaining=3, reset=50');
    const batch = await ledger.call('platform', 'POST', '/v1/events/batch', {
      events: ['acme', 'acme', 'other'].map((orgSlug) => event({ namespace: 'builder', orgSlug })),
    });
    assert.equal(batch.headers.get('ratelimit'), 'limit=5, remaining=1, reset=50');
    // Nobody's own token counts there, whatever the client is called.
    assert.equal((await emit('builder/acme')).headers.get('ratelimit'), first);
  });

  it('begins anew with the next minute', async () => {
    time = new Date('2026-11-21T12:01:00.000Z');
    assert.equal((await emit(SHOP)).status, 201);
  });

  it('a batch that does not fit is refused as a whole and leaves room for what does', async () => {
    const batch = (count: number) =>
      ledger.call('batch-prod/acme', 'POST', '/v1/events/batch', {
        events: Array.from({ length: count }, () => event()),
      });
    assert.equal((await batch(3)).status, 201);
    assert.equal((await batch(3)).status, 429);
    assert.equal((await batch(2)).status, 201);
    assert.equal((await batch(6)).status, 429);
  });
});

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}
