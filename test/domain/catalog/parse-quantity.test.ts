import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuantity } from '../../../domain/catalog/parse-quantity.ts';

const GOOD: readonly (readonly [string, number])[] = [
  ['64Mi', 64 * 1024 ** 2],
  ['1Gi', 1024 ** 3],
  ['0.25', 0.25],
  ['.5', 0.5],
  ['250m', 0.25],
  ['128974848', 128_974_848],
  ['129M', 129e6],
  ['1e3', 1000],
  ['1E', 1e18],
];

test('Kubernetes quantities are read', () => {
  for (const [text, value] of GOOD) assert.equal(parseQuantity(text), value, text);
});

test('anything else is null', () => {
  for (const text of ['', 'x', '-1', '1 Gi', '64mi', '64MB', '0x10', 'Infinity', '1e', '1,5']) {
    assert.equal(parseQuantity(text), null, text);
  }
});
