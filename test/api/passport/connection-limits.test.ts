import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createConnectionLimits, DEFAULT_LIMITS } from '../../../api/passport/connection-limits.ts';

it('an address and a holder have so many connections, and one that ends makes room', () => {
  const limits = createConnectionLimits({ ...DEFAULT_LIMITS, perAddress: 2, perHolder: 1 });
  assert.deepEqual(
    [1, 2, 3].map(() => limits.takeAddress('a')),
    [true, true, false],
  );
  assert.equal(limits.takeAddress('b'), true, 'another address is not concerned');
  limits.releaseAddress('a');
  assert.equal(limits.takeAddress('a'), true);
  assert.deepEqual(
    [limits.takeHolder('usr_1'), limits.takeHolder('usr_1'), limits.takeHolder('usr_2')],
    [true, false, true],
  );
  limits.releaseHolder('usr_1');
  assert.equal(limits.takeHolder('usr_1'), true);
});

it('all together have so many, from however many addresses', () => {
  const limits = createConnectionLimits({ ...DEFAULT_LIMITS, inAll: 3 });
  assert.deepEqual(['a', 'b', 'c', 'd'].map(limits.takeAddress), [true, true, true, false]);
  limits.releaseAddress('b');
  assert.equal(limits.takeAddress('d'), true);
});

it('who tries too often in a minute is refused, however few stay open', () => {
  const limits = createConnectionLimits({ ...DEFAULT_LIMITS, triesPerMinute: 5 });
  const outcomes = Array.from({ length: 8 }, () => {
    const taken = limits.takeAddress('a');
    if (taken) limits.releaseAddress('a');
    return taken;
  });
  assert.deepEqual(outcomes, [true, true, true, true, true, false, false, false]);
  assert.equal(limits.takeAddress('b'), true);
});
