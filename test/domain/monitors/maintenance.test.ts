import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withoutMaintenance, withWindow } from '../../../domain/monitors/maintenance.ts';

const NOW = new Date('2026-11-26T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const at = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS);
const window = (from: number, to: number) => ({ from: at(from), to: at(to), note: null });

it('times of maintenance that are over count no more, once no result of theirs is rolled up again', () => {
  const over = Array.from({ length: 50 }, (_, index) => window(-100 - index, -99 - index));
  assert.deepEqual(withWindow([...over, window(-49, -48)], window(0, 1), NOW), [window(-49, -48), window(0, 1)]);
  const planned = Array.from({ length: 50 }, (_, index) => window(index, index + 1));
  assert.throws(() => withWindow(planned, window(0, 2), NOW), { code: 'CONFLICT' });
});

it('a time of maintenance that is there is not added again, also once it has begun; one with another note is', () => {
  const windows = withWindow([], window(-0.05, 1), NOW);
  assert.equal(withWindow(windows, window(-0.05, 1), at(0.5)), windows);
  assert.equal(withWindow(windows, { ...window(-0.05, 1), note: 'moving' }, NOW).length, 2);
});

it('a time of maintenance that ends early was one until then', () => {
  const windows = [window(-9, -8), window(-1, 1), window(2, 3)];
  const [over, , planned] = windows;
  assert.deepEqual(withoutMaintenance(windows, { at: NOW, planned: false }), [over, window(-1, 0), planned]);
  assert.deepEqual(withoutMaintenance(windows, { at: NOW, planned: true }), [over, window(-1, 0)]);
});
