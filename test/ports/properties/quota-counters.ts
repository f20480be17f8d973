import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { QuotaCounters } from '../../../domain/properties/quota.ts';

const AT = new Date('2026-03-09T12:00:00Z');
const later = (seconds: number): Date => new Date(AT.getTime() + seconds * 1_000);

/** What every {@link QuotaCounters} guarantees. */
export function quotaCountersSuite(counters: () => QuotaCounters): void {
  describe('QuotaCounters', () => {
    const newKey = (): string => `property/${randomBytes(6).toString('hex')}`;

    it('of many who take at once, gives out exactly what the slot has', async () => {
      const key = newKey();
      const got = await Promise.all(Array.from({ length: 40 }, () => counters().take(key, AT, 7, 100)));
      assert.equal(
        got.reduce((sum, amount) => sum + amount, 0),
        100,
      );
      assert.ok(got.every((amount) => amount >= 0 && amount <= 7));
      assert.equal(await counters().take(key, AT, 1, 100), 0);
    });

    it('gives the rest of a slot to who wants more, and a whole one in the next slot and for another key', async () => {
      const key = newKey();
      assert.equal(await counters().take(key, AT, 8, 10), 8);
      assert.equal(await counters().take(key, AT, 8, 10), 2);
      assert.equal(await counters().take(key, later(1), 8, 10), 8);
      assert.equal(await counters().take(newKey(), AT, 50, 10), 10);
    });

    it('gives all who ask at once slots of one length, which stays', async () => {
      const rule = newKey();
      const asked = [5_000, 20_000, 60_000].flatMap((proposed) => [1, 2, 3, 4].map(() => proposed));
      const agreed = new Set(await Promise.all(asked.map((proposed) => counters().slotMs(rule, proposed))));
      assert.equal(agreed.size, 1);
      assert.deepEqual(new Set([await counters().slotMs(rule, 1)]), agreed);
      assert.equal(await counters().slotMs(newKey(), 250.5), 250.5);
    });

    it('keeps the latest end of a pause until it is over', async () => {
      const [key, other] = [newKey(), newKey()];
      assert.equal(await counters().pausedUntil([key], AT), null);
      await counters().pause(key, later(10));
      await counters().pause(key, later(5));
      await counters().pause(other, later(7));
      assert.deepEqual(await counters().pausedUntil([other, key], AT), later(10));
      assert.deepEqual(await counters().pausedUntil([other], AT), later(7));
      assert.equal(await counters().pausedUntil([key, other], later(10)), null);
    });
  });
}
