import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readToEnd } from '../../../adapters/dump-tools/read-to-end.ts';
import { runProcess } from '../../../adapters/process/run-process.ts';

const env = { PATH: process.env.PATH ?? '' };

it('an archive that is wrong at its end is refused, also when a tool needed only its beginning', async () => {
  async function* archive() {
    for (let piece = 0; piece < 100; piece += 1) yield Buffer.alloc(64 * 1024);
    throw new Error('it is not what was uploaded');
  }
  const restored = readToEnd(archive(), async (input) => {
    const { exitCode } = await runProcess('sh', ['-c', 'head -c 1000 > /dev/null'], { env, signal: never(), input });
    assert.equal(exitCode, 0);
  });
  await assert.rejects(restored, /not what was uploaded/);
});

it('an archive that is whole is read to its end, once', async () => {
  let read = 0;
  async function* archive() {
    for (; read < 50; read += 1) yield Buffer.from([read]);
  }
  await readToEnd(archive(), async (input) => {
    for await (const [number] of input) if (number === 10) break;
  });
  assert.equal(read, 50);
});

it('an archive is ended when the work fails, also one that hangs', async () => {
  const ended = Promise.withResolvers<void>();
  async function* archive() {
    try {
      for (;;) yield Buffer.from('x');
    } finally {
      ended.resolve();
    }
  }
  const failing = readToEnd(archive(), async (input) => {
    for await (const _ of input) throw new Error('the tool failed');
  });
  await assert.rejects(failing, /the tool failed/);
  await ended.promise;
  async function* hanging() {
    yield Buffer.from('x');
    await new Promise(() => undefined);
  }
  const hung = readToEnd(hanging(), async (input) => {
    const pieces = input[Symbol.asyncIterator]();
    await pieces.next();
    pieces.next().catch(() => undefined);
    throw new Error('the tool failed');
  });
  await assert.rejects(hung, /the tool failed/);
});

function never(): AbortSignal {
  return new AbortController().signal;
}
