import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { runtimeVariables } from '../../infra/dev/runtime-variables.ts';

/** Counts the threads that come to a process with the first work of the pool. */
const COUNT_THREADS = `
  const count = () => require('node:fs').readdirSync('/proc/self/task').length;
  const before = count();
  require('node:crypto').randomBytes(1, () => {});
  console.log(count() - before);`;

test('a process has as many threads for hashes and signatures as there are cores, and never one alone', async () => {
  const env = { ...process.env, ...runtimeVariables({}) };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', COUNT_THREADS], { env, timeout: 10_000 });
  assert.equal(Number(stdout), Math.max(2, availableParallelism()));
});

test('what the operator has set stays', () => {
  const { UV_THREADPOOL_SIZE, MALLOC_ARENA_MAX } = runtimeVariables({ UV_THREADPOOL_SIZE: '7', MALLOC_ARENA_MAX: '' });
  assert.deepEqual([UV_THREADPOOL_SIZE, MALLOC_ARENA_MAX], ['7', '2']);
});
