import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SILENT_AFTER_DAYS, silentDays } from '../../../domain/git-hooks/silence.ts';

const NOW = new Date('2026-03-01T00:00:00.000Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 24 * 3_600_000);
const heard = { hookId: '7', verifiedAt: daysAgo(90), lastDeliveryAt: daysAgo(20), updatedAt: daysAgo(90) };

for (const [what, connection, days] of [
  ['a hook that delivered 20 days ago', heard, 20],
  ['one that delivered yesterday', { ...heard, lastDeliveryAt: daysAgo(1) }, null],
  ['one at the bound', { ...heard, lastDeliveryAt: daysAgo(SILENT_AFTER_DAYS) }, SILENT_AFTER_DAYS],
  ['one that never delivered', { ...heard, lastDeliveryAt: null, verifiedAt: null, updatedAt: daysAgo(30) }, 30],
  [
    'one that was registered yesterday',
    { ...heard, lastDeliveryAt: null, verifiedAt: null, updatedAt: daysAgo(1) },
    null,
  ],
  ['a hook that the platform did not register', { ...heard, hookId: null }, null],
  ['one whose last delivery an earlier version took', { ...heard, lastDeliveryAt: null }, null],
] as const) {
  it(`${what} is ${days === null ? 'not spoken of' : `silent for ${days} days`}`, () => {
    assert.equal(silentDays(connection, NOW), days);
  });
}
