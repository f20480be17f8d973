import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { canonicalPayload, readPayload } from '../../../domain/audit-ledger/canonical.ts';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { createHeaderText, hashOfEvent, headerOf, sha256 } from '../../../domain/audit-ledger/hash.ts';
import { eventsAfter } from '../../ports/audit-ledger/drafts.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => value.isWellFormed());
/** Any JSON that every reader reads alike; what is left out is refused, which has a test of its own. */
const { value: portable } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.boolean(),
    fc.constant(null),
    fc.maxSafeInteger(),
    fc.double({ min: -1e15, max: 1e15, noNaN: true }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 5 }),
  ),
}));
const jsonObject = fc.dictionary(text, portable);

describe('the hash of an event', () => {
  it('its header is canonical JSON (RFC 8785) of the fields that the format names, whatever they hold', () => {
    fc.assert(
      fc.property(
        text,
        text,
        text,
        text,
        fc.nat(),
        fc.date({ min: new Date(0), max: new Date(8e12), noInvalidDate: true }),
        (...values) => {
          const [entityId, emitter, orgSlug, namespace, chainIndex, createdAt] = values;
          const [event] = eventsAfter(null, [{ entityId, emitter, orgSlug, namespace }]);
          assert.ok(event);
          const { id, eventType, prevHash } = event;
          const payloadHash = sha256(event.payload);
          const fields = { chainIndex, emitter, entityId, eventType, id, namespace, orgSlug, payloadHash, prevHash };
          const expected = canonicalize({ ...fields, createdAt: createdAt.toISOString(), version: 1 });
          assert.equal(headerOf({ ...event, chainIndex, createdAt }, payloadHash), expected);
        },
      ),
    );
  });

  it('is SHA-256 as other implementations compute it, and needs no payload once that was hashed', () => {
    const [event] = eventsAfter(null, [{ payload: '{"data":{"ä":"😀"},"metadata":{}}' }]);
    assert.ok(event);
    const payloadHash = `0x${createHash('sha256').update(Buffer.from(event.payload, 'utf8')).digest('hex')}` as const;
    assert.equal(sha256(event.payload), payloadHash);
    const header = Buffer.from(headerOf(event, payloadHash), 'utf8');
    assert.equal(event.eventHash, `0x${createHash('sha256').update(header).digest('hex')}`);
    assert.equal(hashOfEvent({ ...event, payload: '' }, payloadHash), event.eventHash);
  });

  it('headers in a row are written as each alone, at times before 1970 as well', () => {
    const row = createHeaderText();
    const few = fc.constantFrom('shop', 'acme', '"\u2028', 'ä😀');
    const dates = fc.date({ min: new Date(-8e12), max: new Date(8e12), noInvalidDate: true });
    fc.assert(
      fc.property(few, few, few, few, dates, fc.nat(1_500), (emitter, eventType, namespace, orgSlug, date, step) => {
        const [event] = eventsAfter(null, [{}]);
        assert.ok(event);
        for (const createdAt of [date, new Date(date.getTime() + step), date]) {
          const next: LedgerEvent = { ...event, emitter, eventType, namespace, orgSlug, createdAt };
          assert.equal(headerOf(next, event.eventHash, row), headerOf(next, event.eventHash));
        }
      }),
    );
  });
});

describe('the payload of an event', () => {
  it('does not depend on the order of keys, and reads back as it was', () => {
    fc.assert(
      fc.property(jsonObject, (data) => {
        const reversed = Object.fromEntries(Object.entries(data).toReversed());
        const payload = canonicalPayload({ data, metadata: {} });
        assert.equal(canonicalPayload({ data: reversed, metadata: {} }), payload);
        assert.equal(canonicalPayload(readPayload(payload)), payload);
      }),
    );
  });

  it('is refused where readers of JSON disagree, and where it would exhaust one', () => {
    const refused = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53,
      -(2 ** 60),
      '\udc00',
      { '\ud800': 1 },
      undefined,
      () => 1,
    ];
    for (const value of refused) {
      assert.throws(
        () => canonicalPayload({ data: { value }, metadata: {} }),
        { code: 'EVENT_INVALID' },
        String(value),
      );
    }
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level += 1) deep = { deep };
    assert.throws(() => canonicalPayload({ data: deep, metadata: {} }), { code: 'EVENT_INVALID' });
    assert.throws(() => canonicalPayload({ data: { x: 'y'.repeat(65_536) }, metadata: {} }), {
      code: 'EVENT_TOO_LARGE',
    });
  });
});
