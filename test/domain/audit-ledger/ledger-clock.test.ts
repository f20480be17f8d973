import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLedgerClock } from '../../../domain/audit-ledger/ledger-clock.ts';

const DATABASE = new Date('2026-11-20T12:00:00.000Z');
const clockWith = (own: string) => createLedgerClock({ database: () => DATABASE, own: () => new Date(own) });

it('the time of events is the database’s, whatever a process says within a minute of it', () => {
  for (const own of ['2026-11-20T11:59:00.000Z', '2026-11-20T12:00:00.000Z', '2026-11-20T12:01:00.000Z']) {
    assert.equal(clockWith(own)(), DATABASE);
  }
});

it('there is no time for events while a process and the database differ by more than a minute, either way', () => {
  for (const [own, text] of [
    ['2027-11-20T12:00:00.000Z', /31536000 s ahead of/],
    ['2026-11-20T12:01:00.001Z', /60 s ahead of/],
    ['2026-11-20T11:58:59.999Z', /60 s behind/],
    ['2025-11-20T12:00:00.000Z', /31536000 s behind/],
  ] as const) {
    assert.throws(() => clockWith(own)(), { code: 'UNAVAILABLE', retryable: true, message: text });
  }
});
