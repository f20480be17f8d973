import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';

const LOGGER = new URL('../../../adapters/logging/logger.ts', import.meta.url).href;
const DEADLINE_MS = 30_000;

/** A process that logs to its standard output and then does what `script` says. */
function logging(context: TestContext, script: string): { child: ChildProcess; written: () => string } {
  const source = `import { createLogger } from ${JSON.stringify(LOGGER)};
    const log = createLogger({ name: 'test', level: 'info' });
    ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['pipe', 'pipe', 'ignore'] });
  context.after(() => child.kill('SIGKILL'));
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return { child, written: () => text };
}

async function ended({ child, written }: ReturnType<typeof logging>): Promise<string[]> {
  await once(child, 'close', { signal: AbortSignal.timeout(DEADLINE_MS) });
  return written()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).msg);
}

const ENDINGS = {
  'process.exit': 'process.exit(0);',
  'an uncaught error': 'setTimeout(() => { throw new Error("broken"); });',
  'a promise that nobody handles': 'Promise.reject(new Error("broken"));',
  'nothing left to do': '',
};

for (const [name, script] of Object.entries(ENDINGS)) {
  test(`no line is lost when a process ends by ${name}`, async (context) => {
    const many = 'for (let at = 0; at < 300; at += 1) log.info("line " + at);';
    const lines = await ended(logging(context, `${many}\n${script}`));
    assert.deepEqual(
      lines,
      Array.from({ length: 300 }, (_, at) => `line ${at}`),
    );
  });
}

test('a line is written while the process runs, without waiting for another line', async (context) => {
  const { child, written } = logging(context, `process.stdin.resume(); log.info('alone');`);
  const signal = AbortSignal.timeout(DEADLINE_MS);
  while (!written().includes('alone')) await once(child.stdout ?? child, 'data', { signal });
  assert.equal(child.exitCode, null);
});

test('a warning is written before the process can be killed, with what came before it', async (context) => {
  const lines = await ended(
    logging(context, `log.info('first'); log.warn('second'); process.kill(process.pid, 'SIGKILL');`),
  );
  assert.deepEqual(lines, ['first', 'second']);
});

test('lines are written together, so that a busy service does not write for each', async (context) => {
  const lines = await ended(
    logging(context, `log.info('first'); log.info('second'); process.kill(process.pid, 'SIGKILL');`),
  );
  assert.deepEqual(lines, []);
});
