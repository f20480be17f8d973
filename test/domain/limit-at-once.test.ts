import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { limitAtOnce } from '../../domain/limit-at-once.ts';

test('so many calls run at once, and others in the order in which they came', async () => {
  const limit = limitAtOnce(2);
  const began: number[] = [];
  const ends = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
  const calls = ends.map(({ promise }, index) =>
    limit(() => {
      began.push(index);
      return promise;
    }),
  );
  await setImmediate();
  assert.deepEqual(began, [0, 1]);
  ends[1]?.reject(new Error('it failed'));
  await assert.rejects(calls[1] ?? Promise.resolve(), /it failed/);
  await setImmediate();
  assert.deepEqual(began, [0, 1, 2]);
  for (const { resolve } of ends) resolve();
  await Promise.allSettled(calls);
  assert.deepEqual(began, [0, 1, 2, 3]);
});

test('a call that is given up while it waits never begins, and takes no turn', async () => {
  const limit = limitAtOnce(1);
  const first = Promise.withResolvers<void>();
  const running = limit(() => first.promise);
  const stop = new AbortController();
  const reason = new Error('given up');
  const givenUp = limit(() => Promise.reject(new Error('it began')), stop.signal);
  const last = limit(async () => 'done');
  stop.abort(reason);
  await assert.rejects(givenUp, (error) => error === reason);
  await assert.rejects(
    limit(() => Promise.resolve(), stop.signal),
    (error) => error === reason,
  );
  first.resolve();
  await running;
  assert.equal(await last, 'done');
});
