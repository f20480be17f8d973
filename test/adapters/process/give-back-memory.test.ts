import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { isWorthACollection } from '../../../adapters/process/give-back-memory.ts';

const MODULE = new URL('../../../adapters/process/give-back-memory.ts', import.meta.url);
const MIB = 1024 ** 2;

/** Leaves 80 MiB of garbage in the old part of its heap, then is idle and says how large the heap is. */
const PROGRAM = `
  const { giveBackMemoryWhenIdle } = await import(${JSON.stringify(MODULE.href)});
  giveBackMemoryWhenIdle(20);
  let kept = Array.from({ length: 80 * 1024 }, (_, index) => new Array(128).fill(index));
  process.send(process.memoryUsage().heapTotal);
  kept = null;
  setInterval(() => process.send(process.memoryUsage().heapTotal), 50);
`;

describe('memory that a busy time has left behind', () => {
  it('is given back by a process that is idle', async () => {
    const args = ['--expose-gc', '--input-type=module', '--eval', PROGRAM];
    const child = fork('', { execArgv: args, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    try {
      const signal = AbortSignal.timeout(30_000);
      const [atFirst] = (await once(child, 'message', { signal })) as [number];
      assert.ok(atFirst > 80 * MIB);
      for (let bytes = atFirst; bytes > 40 * MIB; ) [bytes] = (await once(child, 'message', { signal })) as [number];
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('is not collected again while nothing was added, and never while the process works', () => {
    const grown = { utilization: 0.01, heapBytes: 100 * MIB, lastBytes: 50 * MIB };
    assert.equal(isWorthACollection(grown), true);
    assert.equal(isWorthACollection({ ...grown, lastBytes: null }), true);
    assert.equal(isWorthACollection({ ...grown, lastBytes: 95 * MIB }), false);
    assert.equal(isWorthACollection({ ...grown, utilization: 0.5 }), false);
  });
});
