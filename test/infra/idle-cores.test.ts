import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchIdleCores } from '../../infra/dev/idle-cores.ts';

const GIB = 1024 ** 3;

/** A machine of two cores on which a test says how time goes by. */
function machineOf() {
  const state = { nowMs: 0, idle: [0, 0] as [number, number], freeBytes: 4 * GIB };
  const cpus = () => state.idle.map((idle) => ({ times: { user: 0, nice: 0, sys: 0, idle, irq: 0 } }));
  const machine = { cpus, freeBytes: () => state.freeBytes, nowMs: () => state.nowMs };
  /** @param idle seconds of each core in which it did nothing */
  const pass = (seconds: number, ...idle: readonly [number, number]): void => {
    state.nowMs += seconds * 1_000;
    state.idle = [state.idle[0] + idle[0] * 1_000, state.idle[1] + idle[1] * 1_000];
  };
  return { state, machine, pass };
}

test('one more file may run when half a core did nothing since the last look', () => {
  const { machine, pass } = machineOf();
  const isIdle = watchIdleCores(machine, 2);
  pass(2, 0.5, 0.6);
  assert.equal(isIdle(), true);
  pass(2, 0.4, 0.5);
  assert.equal(isIdle(), false, 'of what was idle before it says nothing');
});

test('what has just started gets a second to become busy', () => {
  const { machine, pass } = machineOf();
  const isIdle = watchIdleCores(machine, 2);
  pass(0.9, 0.9, 0.9);
  assert.equal(isIdle(), false);
  pass(0.1, 0.1, 0.1);
  assert.equal(isIdle(), true);
  assert.equal(isIdle(), false, 'asked again at once');
});

test('no more files run where memory is short, or where other cores than ours are counted', () => {
  const { state, machine, pass } = machineOf();
  state.freeBytes = GIB - 1;
  const [isIdle, onOneOfThem] = [watchIdleCores(machine, 2), watchIdleCores(machine, 1)];
  pass(2, 2, 2);
  assert.deepEqual([isIdle(), onOneOfThem()], [false, false]);
});
