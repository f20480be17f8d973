import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type RunOnThreadOptions, runOnThread } from '../../../adapters/process/run-on-thread.ts';
import { runProcess } from '../../../adapters/process/run-process.ts';
import { waitUntil } from '../../support/wait-until.ts';

const env = { PATH: process.env.PATH ?? '' };

/** Copies: the memory of a piece may be used again. */
async function collect(output: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of output) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks).toString();
}

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-output-'));
});
after(() => rm(folder, { recursive: true, force: true }));

for (const run of [runProcess, runOnThread]) {
  const sh = (script: string, options: Partial<RunOnThreadOptions> & Pick<RunOnThreadOptions, 'output'>) =>
    run('sh', ['-c', script], { env, signal: AbortSignal.timeout(30_000), ...options });

  describe(run.name, () => {
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

    it('a slow reader gets all of a large output as it was written, and slows the command', async () => {
      let bytes = 0;
      let isSame = true;
      const expected = Buffer.from(Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`).join(''));
      await sh('seq 400000', {
        output: async (output) => {
          for await (const chunk of output) {
            // Whatever comes meanwhile must not come in its place.
            await new Promise((resolve) => setImmediate(resolve));
            isSame &&= expected.subarray(bytes, bytes + chunk.byteLength).equals(chunk);
            bytes += chunk.byteLength;
          }
        },
      });
      assert.deepEqual([bytes, isSame], [expected.length, true]);
    });

    it('the command is given its input', async () => {
      let read = '';
      await sh('cat', {
        input: 'a line\nanother',
        output: async (output) => {
          read = await collect(output);
        },
      });
      assert.equal(read, 'a line\nanother');
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

    it('a command that is missing is told by its code', async () => {
      const missing = run('no-such-command', [], {
        ...{ env, signal: AbortSignal.timeout(30_000) },
        output: async (output) => void (await collect(output)),
      });
      await assert.rejects(missing, { code: 'ENOENT', message: /no-such-command/ });
    });

    it('an abort ends the command with its children before it is told', async () => {
      const pids = join(folder, `aborted-by-${run.name}`);
      const controller = new AbortController();
      const running = sh(`sleep 60 & echo "$$ $!" > ${pids}; while :; do echo more; done`, {
        signal: controller.signal,
        output: async (output) => {
          for await (const _ of output) {
            controller.abort(new Error('cancelled'));
            controller.signal.throwIfAborted();
          }
        },
      });
      await assert.rejects(running, /cancelled/);
      await assertGone(pids);
    });

    it('an abort ends a command that prints nothing', async () => {
      const controller = new AbortController();
      const pids = join(folder, `silent-${run.name}`);
      const running = sh(`sleep 60 & echo "$$ $!" > ${pids}; wait`, {
        signal: controller.signal,
        output: async (output) => void (await collect(output)),
      });
      await waitUntil('the command runs', () => existsSync(pids), { withinMs: 20_000 });
      controller.abort(new Error('cancelled'));
      await assert.rejects(running, /cancelled/);
      await assertGone(pids);
    });

    it('kill -9 of our process ends the command whole', async () => {
      const pids = join(folder, `orphans-of-${run.name}`);
      const file = run === runProcess ? 'run-process.ts' : 'run-on-thread.ts';
      const module = fileURLToPath(new URL(`../../../adapters/process/${file}`, import.meta.url));
      const command = `trap "" TERM HUP; sleep 60 & echo "$$ $!" > ${pids}.new; mv ${pids}.new ${pids}; wait`;
      const script = `import { ${run.name} as run } from ${JSON.stringify(module)};
        await run('sh', ['-c', ${JSON.stringify(command)}], { env: { PATH: process.env.PATH },
          signal: new AbortController().signal, output: async (output) => { for await (const _ of output); } });`;
      const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
      await waitUntil('the command runs', () => existsSync(pids), { withinMs: 20_000 });
      parent.kill('SIGKILL');
      await assertGone(pids);
    });
  });
}

async function assertGone(pids: string): Promise<void> {
  const started = (await readFile(pids, 'utf8')).trim().split(' ').map(Number);
  assert.equal(started.length, 2);
  const isGone = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };
  await waitUntil('the command is gone with its child', () => started.every(isGone), { withinMs: 5_000, everyMs: 5 });
}
