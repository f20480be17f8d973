import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { isMarkedAlive, pidOf } from '../../infra/dev/process-mark.ts';
import { killLeft, treesOf } from '../../infra/dev/process-tree.ts';

/** A process that goes on for minutes; the text is among its arguments. */
async function startMarked(text: string): Promise<ChildProcess> {
  const script = 'console.log(1); setInterval(() => {}, 1_000)';
  const child = spawn(process.execPath, ['-e', script, text], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout ?? child, 'data');
  return child;
}

test('what still runs is killed, and nothing else that has the id of what was seen by now', async (t) => {
  const child = await startMarked('of-this-test');
  t.after(() => child.kill('SIGKILL'));
  const marks = await treesOf('of-this-test');
  assert.deepEqual(marks.map(pidOf), [child.pid]);
  // One that had its id before.
  await killLeft(
    marks.map((mark) => `${mark}0`),
    0,
  );
  assert.equal(await isMarkedAlive(marks[0] ?? ''), true);
  const ended = once(child, 'exit');
  await killLeft(marks, 0);
  assert.deepEqual(await ended, [null, 'SIGKILL']);
});

test('processes are found however long the command lines of the machine are', async (t) => {
  // More than a megabyte: ps shows 128 KiB of each.
  const others = Array.from({ length: 10 }, () =>
    spawn('/bin/sh', ['-c', 'read line', 'x'.repeat(120_000)], { stdio: ['pipe', 'ignore', 'inherit'] }),
  );
  t.after(() => {
    for (const other of others) other.kill('SIGKILL');
  });
  const child = await startMarked('found-beside-them');
  t.after(() => child.kill('SIGKILL'));
  assert.equal((await treesOf('found-beside-them')).length, 1);
});
