import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startLedger, type TestLedger } from '../../support/start-ledger.ts';

const EMIT = '/v1/events/emit';
const BATCH = '/v1/events/batch';
const CANARY = 'card-4111-of-somebody';
const event = (changes: object = {}) => ({
  eventType: 'payment.created',
  entityId: 'order-1',
  data: { card: CANARY },
  ...changes,
});

describe('AUDIT_EVENT_REJECTED', () => {
  let ledger: TestLedger;
  before(async () => {
    ledger = await startLedger({ emitLimit: 3 });
  });
  after(() => ledger.stop());

  /** The lines that a request leaves; each is checked for what must never be in one. */
  async function rejected(request: () => Promise<{ status: number }>, from = ledger) {
    const known = from.logged.length;
    const { status } = await request();
    const lines = from.logged.slice(known).filter((line) => line.includes('AUDIT_EVENT_REJECTED'));
    assert.ok(from.logged.length > known, 'the request is in the log');
    for (const line of from.logged.slice(known)) assert.ok(!line.includes(CANARY), line);
    return { status, lines: lines.map((line) => fieldsOf(JSON.parse(line))) };
  }
  const fieldsOf = ({ namespace, eventType, entityId, caller, orgSlug, reason, level }: Record<string, unknown>) => ({
    ...{ namespace, eventType, entityId, caller, reason, level },
    ...(orgSlug === undefined ? {} : { orgSlug }),
  });
  const UNKNOWN = { namespace: null, eventType: null, entityId: null, level: 'warn' };
  const SHOP = { caller: 'shop-prod', orgSlug: 'acme' };

  it('says what it was about and who sent it', async () => {
    const { lines } = await rejected(() => ledger.call('shop-prod/acme', 'POST', EMIT, event({ eventType: 'Bad' })));
    const about = { namespace: 'shop', eventType: 'Bad', entityId: 'order-1', level: 'warn' };
    assert.deepEqual(lines, [{ ...about, ...SHOP, reason: 'EVENT_INVALID' }]);
  });

  it('names the event of a batch that was at fault, and the namespace that was asked for', async () => {
    const events = [event(), event({ namespace: 'billing', entityId: 'order-2' })];
    const { status, lines } = await rejected(() => ledger.call('shop-prod/acme', 'POST', BATCH, { events }));
    assert.equal(status, 403);
    const about = { namespace: 'billing', eventType: 'payment.created', entityId: 'order-2', level: 'warn' };
    assert.deepEqual(lines, [{ ...about, ...SHOP, reason: 'FORBIDDEN' }]);
  });

  it('is written for those without a credential, or with a wrong one, before anything is read', async () => {
    const wrongKey = { 'x-internal-key': CANARY };
    for (const headers of [{}, wrongKey]) {
      const { status, lines } = await rejected(() => ledger.call(null, 'POST', EMIT, event(), headers));
      assert.equal(status, 401);
      assert.deepEqual(lines, [{ ...UNKNOWN, caller: null, reason: 'UNAUTHORIZED' }]);
    }
  });

  it('is written for a caller without an org', async () => {
    const { status, lines } = await rejected(() => ledger.call('shop-prod/', 'POST', EMIT, event()));
    assert.equal(status, 403);
    assert.deepEqual([lines.length, lines[0]?.caller, lines[0]?.reason], [1, 'shop-prod', 'ORG_CLAIM_MISSING']);
  });

  it('is written for a body that cannot be read: too long, no JSON, of another kind', async () => {
    const huge = event({ data: { card: CANARY.repeat(200_000) } });
    const cases: readonly (readonly [number, string, unknown, Record<string, string>])[] = [
      [413, 'PAYLOAD_TOO_LARGE', huge, {}],
      [400, 'VALIDATION_FAILED', `{"eventType":"${CANARY}`, {}],
      [415, 'UNSUPPORTED_MEDIA_TYPE', CANARY, { 'content-type': 'text/plain' }],
    ];
    for (const [expected, reason, body, headers] of cases) {
      // Where Express takes a path, this is one of its ways to be written.
      const path = `${EMIT.replace('emit', 'EMIT')}/`;
      const { status, lines } = await rejected(() => ledger.call('shop-prod/acme', 'POST', path, body, headers));
      assert.equal(status, expected);
      assert.deepEqual(lines, [{ ...UNKNOWN, namespace: 'shop', ...SHOP, reason }]);
    }
  });

  it('is written for what is beyond the emit limit, and for an event that is too large', async () => {
    const emit = (body: unknown) => ledger.call('busy-prod/acme', 'POST', EMIT, body);
    const large = await rejected(() => emit(event({ data: { x: 'y'.repeat(70_000) } })));
    assert.deepEqual([large.status, large.lines[0]?.reason], [413, 'EVENT_TOO_LARGE']);
    for (let sent = 1; sent < 3; sent += 1) assert.equal((await emit(event())).status, 201);
    const { status, lines } = await rejected(() => emit(event()));
    assert.equal(status, 429);
    assert.deepEqual([lines.length, lines[0]?.entityId, lines[0]?.reason], [1, 'order-1', 'RATE_LIMIT_EXCEEDED']);
  });

  it('is written for an address that asks too often, and not for reads', async () => {
    const strict = await startLedger({ requestsPerMinute: 1 });
    try {
      await strict.call('platform', 'GET', '/v1/events');
      const read = await rejected(() => strict.call('platform', 'GET', '/v1/events'), strict);
      assert.deepEqual(read, { status: 429, lines: [] });
      const { status, lines } = await rejected(() => strict.call('shop-prod/acme', 'POST', EMIT, event()), strict);
      assert.equal(status, 429);
      assert.deepEqual(lines, [{ ...UNKNOWN, caller: null, reason: 'RATE_LIMITED' }]);
    } finally {
      await strict.stop();
    }
  });
});
