import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { AttemptStore } from '../../../domain/identity/ports.ts';
import { atOnce, CALLERS, HOSTILE } from './at-once.ts';
import { at } from './records.ts';

const WINDOW = 600;

/** What every {@link AttemptStore} guarantees. */
export function attemptStoreSuite(create: (now: Clock) => AttemptStore): void {
  const store = create(() => at(10));

  describe('AttemptStore', () => {
    it('50 attempts at once are counted as 50, and each caller is told a number of its own', async () => {
      const counts = await atOnce(() => store.count('race', WINDOW, at(0)));
      const expected = Array.from({ length: CALLERS }, (_, index) => index + 1);
      assert.deepEqual(
        counts.sort((a, b) => a - b),
        expected,
      );
      assert.deepEqual(await store.read('race', at(1)), { attempts: CALLERS, until: at(WINDOW) });
    });

    it('50 attempts at once at the end of a window are counted as 50 of the next', async () => {
      await store.count('next', WINDOW, at(0));
      const counts = await atOnce(() => store.count('next', WINDOW, at(WINDOW)));
      assert.equal(Math.max(...counts), CALLERS);
      assert.equal(new Set(counts).size, CALLERS);
      assert.deepEqual(await store.read('next', at(WINDOW)), { attempts: CALLERS, until: at(2 * WINDOW) });
    });

    it('a window ends a fixed time after its first attempt, however many follow', async () => {
      assert.equal(await store.count('fixed', WINDOW, at(0)), 1);
      assert.equal(await store.count('fixed', WINDOW, at(WINDOW - 1)), 2);
      assert.deepEqual(await store.read('fixed', at(WINDOW - 1)), { attempts: 2, until: at(WINDOW) });
      assert.equal(await store.read('fixed', at(WINDOW)), null);
      assert.equal(await store.count('fixed', WINDOW, at(WINDOW)), 1);
    });

    it('takes back what was no failure, never below zero and never from a window that has ended', async () => {
      await store.count('forgiven', WINDOW, at(0));
      await store.count('forgiven', WINDOW, at(0));
      await store.forgive('forgiven', at(WINDOW));
      assert.equal((await store.read('forgiven', at(1)))?.attempts, 2);
      await atOnce(() => store.forgive('forgiven', at(1)));
      assert.equal((await store.read('forgiven', at(1)))?.attempts, 0);
      assert.equal(await store.count('forgiven', WINDOW, at(2)), 1);
      await store.forgive('never counted', at(1));
      assert.equal(await store.read('never counted', at(1)), null);
    });

    it('keys are counted apart, whatever they are', async () => {
      for (const key of HOSTILE) assert.equal(await store.read(key, at(0)), null, key);
      for (const key of HOSTILE) assert.equal(await store.count(key, WINDOW, at(0)), 1, key);
      for (const key of HOSTILE) await store.clear(key);
      for (const key of HOSTILE) assert.equal(await store.read(key, at(0)), null, key);
      assert.equal((await store.read('race', at(1)))?.attempts, CALLERS, 'clearing those cleared nothing else');
    });
  });
}
