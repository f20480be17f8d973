import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { isMarkedAlive, markOf } from '../../infra/dev/process-mark.ts';

test('a process is known by its mark until it ends, and no other one that has its id', async (t) => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const mark = await markOf(child.pid ?? 0);
  assert.match(mark, /^\d+\.\w+$/);
  assert.equal(await markOf(child.pid ?? 0), mark);
  assert.equal(await isMarkedAlive(mark), true);

  const earlier = mark.replace(`${child.pid}.`, `${process.pid}.`);
  assert.deepEqual([await isMarkedAlive(await markOf(process.pid)), await isMarkedAlive(earlier)], [true, false]);

  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(await isMarkedAlive(mark), false);
});
