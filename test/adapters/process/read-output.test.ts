import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type RunProcessOptions, runProcess } from '../../../adapters/process/run-process.ts';

const env = { PATH: process.env.PATH ?? '' };
const sh = (script: string, options: Partial<RunProcessOptions>) =>
  runProcess('sh', ['-c', script], { env, signal: AbortSignal.timeout(30_000), ...options });

async function collect(output: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of output) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it('output that is read after the command has ended is there whole', async () => {
  let read = '';
  const { stdout, exitCode } = await sh('printf "%5000s" x', {
    output: async (output, ended) => {
      assert.equal((await ended).exitCode, 0);
      read = await collect(output);
    },
  });
  assert.deepEqual([read.length, stdout, exitCode], [5_000, '', 0]);
});

it('a slow reader gets all of a large output, and slows the command', async () => {
  let bytes = 0;
  await sh('head -c 3000000 /dev/zero', {
    output: async (output) => {
      for await (const chunk of output) {
        bytes += chunk.byteLength;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  });
  assert.equal(bytes, 3_000_000);
});

it('whoever reads learns how the command ended, with what it said', async () => {
  const { exitCode } = await sh('echo half; echo broken >&2; exit 3', {
    output: async (output, ended) => {
      assert.equal(await collect(output), 'half\n');
      const end = await ended;
      assert.deepEqual([end.exitCode, end.stderr], [3, 'broken\n']);
    },
  });
  assert.equal(exitCode, 3);
});

it('a reader that fails ends the command, with its own error', async () => {
  const endless = sh('while :; do echo more; done', {
    output: async (output) => {
      for await (const _ of output) throw new Error('the store is full');
    },
  });
  await assert.rejects(endless, /the store is full/);
});
