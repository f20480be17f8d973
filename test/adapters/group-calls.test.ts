import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupCalls } from '../../adapters/group-calls.ts';

/** Calls that the test ends, in the order in which they began. */
function heldCalls(most = 100) {
  const begun: {
    readonly key: string;
    readonly items: readonly number[];
    readonly follows: boolean;
    readonly end: PromiseWithResolvers<void>;
  }[] = [];
  const ask = groupCalls<number, string>(
    async (key, items, follows) => {
      const end = Promise.withResolvers<void>();
      begun.push({ key, items, follows, end });
      await end.promise;
      return items.map((item) => `${key}${item}`);
    },
    { most },
  );
  /** Until that many calls have begun. */
  const calls = async (count: number) => {
    while (begun.length < count) await new Promise(setImmediate);
    return begun[count - 1];
  };
  return { ask, begun, calls };
}

describe('calls that many requests share', () => {
  it('are one at a time, and each request gets its own result', async () => {
    const { ask, begun, calls } = heldCalls();
    const asked = [ask('a', 1)];
    const first = await calls(1);
    asked.push(ask('a', 2), ask('a', 3));
    first?.end.resolve();
    (await calls(2))?.end.resolve();
    assert.deepEqual(await Promise.all(asked), ['a1', 'a2', 'a3']);
    assert.deepEqual(
      begun.map(({ items, follows }) => [items, follows]),
      [
        [[1], false],
        [[2, 3], true],
      ],
    );
  });

  it('take no more at once than the bound', async () => {
    const { ask, calls } = heldCalls(2);
    const asked = [1, 2, 3, 4, 5].map((item) => ask('a', item));
    for (const [call, count] of [2, 2, 1].entries()) {
      const begun = await calls(call + 1);
      assert.equal(begun?.items.length, count);
      begun?.end.resolve();
    }
    assert.deepEqual(await Promise.all(asked), ['a1', 'a2', 'a3', 'a4', 'a5']);
  });

  it('of several keys do not wait for each other, and follow none after a pause', async () => {
    const { ask, begun, calls } = heldCalls();
    const asked = [ask('a', 1), ask('b', 1)];
    (await calls(2))?.end.resolve();
    begun[0]?.end.resolve();
    assert.deepEqual(await Promise.all(asked), ['a1', 'b1']);
    const later = ask('a', 2);
    const third = await calls(3);
    third?.end.resolve();
    assert.deepEqual([await later, third?.follows], ['a2', false]);
  });

  it('that fail, fail for those who share them alone', async () => {
    const { ask, calls } = heldCalls();
    const failed = ask('a', 1);
    const first = await calls(1);
    const next = ask('a', 2);
    first?.end.reject(new Error('away'));
    await assert.rejects(failed, /away/);
    (await calls(2))?.end.resolve();
    assert.equal(await next, 'a2');
  });
});
