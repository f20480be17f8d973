import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EmitCounter } from '../../../domain/audit-ledger/emit-limit.ts';
import type { Clock } from '../../../domain/clock.ts';
import { atOnce } from '../identity/at-once.ts';

const MINUTE = new Date('2026-11-21T12:00:00.000Z');
const at = (seconds: number) => () => new Date(MINUTE.getTime() + seconds * 1000);

/** What every {@link EmitCounter} guarantees; `create` makes counters that, as processes do, share nothing but the store. */
export function emitCounterSuite(create: (now: Clock, limit: number) => EmitCounter): void {
  describe('EmitCounter', () => {
    it('gives every emit a place of its own, whichever process counts it', async () => {
      const counters = [create(at(1), 40), create(at(2), 40), create(at(3), 40)];
      const caller = { orgSlug: 'acme', sub: 'race' };
      const windows = await atOnce((index) => counters[index % 3]?.count(caller, 1) ?? assert.fail());
      const places = windows.map(({ used }) => used).sort((a, b) => a - b);
      assert.deepEqual(
        places,
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
      for (const { endsAt } of windows) assert.deepEqual(endsAt, at(60)());
    });

    it('of emits of many callers at once exactly as many are let through as fit, whichever process counts them', async () => {
      const limit = 12;
      const counters = [create(at(1), limit), create(at(2), limit), create(at(3), limit)];
      const subs = Array.from({ length: 8 }, (_, index) => `crowd-${index}`);
      const asked = subs.flatMap((sub) => Array.from({ length: 20 }, (_, index) => ({ sub, index })));
      const windows = await Promise.all(
        asked.map(({ sub, index }) => counters[index % 3]?.count({ orgSlug: 'acme', sub }, 1) ?? assert.fail()),
      );
      for (const sub of subs) {
        const own = windows.filter((_, index) => asked[index]?.sub === sub);
        assert.equal(own.filter(({ used }) => used <= limit).length, limit, sub);
        for (const { used, endsAt } of own) assert.ok(used >= 1 && endsAt.getTime() === at(60)().getTime());
      }
    });

    it('the count of callers that are counted together restarts each minute', async () => {
      const subs = ['together-a', 'together-b', 'together-c'];
      const countAll = async (seconds: number) => {
        const counter = create(at(seconds), 5);
        const windows = await Promise.all(subs.map((sub) => counter.count({ orgSlug: 'acme', sub }, 1)));
        return windows.map(({ used, endsAt }) => [used, endsAt.getTime() - MINUTE.getTime()]);
      };
      assert.deepEqual((await countAll(0)).flat(), [1, 60_000, 1, 60_000, 1, 60_000]);
      assert.deepEqual((await countAll(59)).flat(), [2, 60_000, 2, 60_000, 2, 60_000]);
      assert.deepEqual((await countAll(60)).flat(), [1, 120_000, 1, 120_000, 1, 120_000]);
    });

    it('begins anew with the next minute, and only then', async () => {
      const caller = { orgSlug: 'acme', sub: 'minutes' };
      assert.equal((await create(at(0), 5).count(caller, 1)).used, 1);
      assert.equal((await create(at(59.9), 5).count(caller, 1)).used, 2);
      const next = await Promise.all([create(at(60), 5).count(caller, 1), create(at(60), 5).count(caller, 1)]);
      assert.deepEqual(next.map(({ used }) => used).sort(), [1, 2]);
      assert.deepEqual(next[0].endsAt, at(120)());
    });

    it('a clock that is behind counts into the window that has begun', async () => {
      const caller = { orgSlug: 'acme', sub: 'skew' };
      assert.equal((await create(at(60), 5).count(caller, 1)).used, 1);
      assert.equal((await create(at(59), 5).count(caller, 1)).used, 2);
    });

    it('callers are told apart by org and by sub', async () => {
      const counter = create(at(0), 5);
      const callers = [
        { orgSlug: 'a', sub: 'b' },
        { orgSlug: 'a', sub: 'c' },
        { orgSlug: 'a b', sub: '' },
        { orgSlug: '', sub: 'a b' },
      ];
      for (const caller of callers) assert.equal((await counter.count(caller, 1)).used, 1);
    });

    it('many at once count only when all of them fit', async () => {
      const counter = create(at(0), 10);
      const caller = { orgSlug: 'acme', sub: 'many' };
      assert.equal((await counter.count(caller, 6)).used, 6);
      assert.ok((await counter.count(caller, 5)).used > 10);
      assert.equal((await counter.count(caller, 4)).used, 10);
      assert.ok((await counter.count(caller, 1)).used > 10);
      assert.ok((await counter.count({ orgSlug: 'acme', sub: 'too-many' }, 11)).used > 10);
      assert.equal((await counter.count({ orgSlug: 'acme', sub: 'too-many' }, 10)).used, 10);
    });

    it('50 batches at once never get more than the limit', async () => {
      const counters = [create(at(0), 100), create(at(1), 100)];
      const caller = { orgSlug: 'acme', sub: 'batches' };
      const windows = await atOnce((index) => counters[index % 2]?.count(caller, 7) ?? assert.fail());
      assert.equal(windows.filter(({ used }) => used <= 100).length, 14);
    });
  });
}
