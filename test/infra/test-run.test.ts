import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { projectRoot } from '../../infra/dev/project.ts';
import { isAlive } from '../../infra/dev/tools/folder-lock.ts';
import { waitUntil } from '../support/wait-until.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-test-run-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const SOURCES = {
  'good.test.mjs': `import { describe, test } from 'node:test';
    describe('a suite', () => { test('one', () => {}); test('two', (t) => t.test('inner', () => {})); });
    test('skipped', { skip: 'no moon' }, () => {}); test('later', { todo: true }, () => { throw new Error('not yet'); });`,
  'bad.test.mjs': `import { describe, test } from 'node:test';
    console.log('written by the bad file');
    describe('a suite', () => { test('breaks', () => { throw new Error('boom'); }); });`,
  'symbols.test.mjs': `import assert from 'node:assert/strict'; import { test } from 'node:test';
    test('compares symbols', () => assert.deepEqual([Symbol('one')], [], 'they differ'));`,
  'crashing.test.mjs': `throw new Error('cannot load');`,
  'empty.test.mjs': '',
  'hidden.test.mjs': `import { describe, test } from 'node:test';
    describe('a whole suite', { skip: true }, () => { test('never runs', () => {}); });`,
  'hanging.test.mjs': `import { test } from 'node:test';
    test('ends', () => {}); setInterval(() => {}, 1_000);`,
  'endless.test.mjs': `import { describe, test } from 'node:test';
    describe('a suite', () => { test('ends', () => {}); test('never ends', () => new Promise((end) => setTimeout(end, 1e9))); });`,
  'stubborn.test.mjs': `import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs'; import { test } from 'node:test';
    process.on('SIGTERM', () => {});
    const server = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    writeFileSync(new URL('stubborn.json', import.meta.url), JSON.stringify([process.pid, server.pid]));
    test('never ends', () => new Promise((end) => setTimeout(end, 1e9)));`,
  'left.test.mjs': meeting('left', 'right'),
  'right.test.mjs': meeting('right', 'left'),
};

/** A file that ends when the other one has begun as well. */
function meeting(self: string, other: string): string {
  return `import { existsSync, writeFileSync } from 'node:fs';
    import { test } from 'node:test';
    const at = (name) => new URL(name, import.meta.url);
    writeFileSync(at('${self}'), '');
    test('meets', async () => { while (!existsSync(at('${other}'))) await new Promise((wake) => setTimeout(wake, 20)); });`;
}

interface Outcome {
  readonly passed: number;
  readonly skips: readonly { readonly name: string; readonly file: string; readonly because: string }[];
  readonly failures: readonly { readonly name: string; readonly reason: string }[];
  readonly files: readonly { readonly file: string; readonly tests: number; readonly seconds: number }[];
}

function runAll(
  names: readonly (keyof typeof SOURCES)[],
  { limitMs = 20_000, concurrency = '2', mayRunMore = 'false' } = {},
): { tally: Outcome; printed: string } {
  for (const name of ['left', 'right']) rmSync(join(folder, name), { force: true });
  for (const name of names) writeFileSync(join(folder, name), SOURCES[name]);
  const files = names.map((name) => join(folder, name));
  const script = `import { runFiles } from ${JSON.stringify(join(projectRoot, 'infra/dev/test-run.ts'))};
    import { newTally } from ${JSON.stringify(join(projectRoot, 'infra/dev/test-tally.ts'))};
    const tally = newTally();
    const signal = new AbortController().signal;
    const print = (text) => process.stdout.write(text);
    const mayRunMore = (running) => ${mayRunMore};
    const options = { concurrency: () => ${concurrency}, mayRunMore, fileLimitMs: ${limitMs}, signal, print };
    await runFiles({ files: ${JSON.stringify(files)}, ...options }, tally);
    console.log('\\n' + JSON.stringify(tally));`;
  writeFileSync(join(folder, 'tally.mjs'), script);
  // Marked as a test's child, the runner would refuse to run inside this test.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'tally.mjs')], { env, encoding: 'utf8' });
  const printed = stdout.trim().split('\n');
  const last = printed.pop() ?? '';
  assert.match(last, /^\{/, stderr);
  return { tally: JSON.parse(last), printed: printed.join('\n') };
}

const tallyOf = (...names: (keyof typeof SOURCES)[]): Outcome => runAll(names).tally;

test('tests count once each; suites, skips and todos do not count as passed', () => {
  const { passed, skips, failures } = tallyOf('good.test.mjs');
  assert.deepEqual([passed, failures], [3, []]);
  assert.deepEqual(
    skips.map(({ name, because }) => [name, because]),
    [
      ['skipped', 'no moon'],
      ['later', 'to do'],
    ],
  );
});

test('a file that will not end, and the servers that it started, are killed', async () => {
  const { failures } = runAll(['stubborn.test.mjs'], { limitMs: 3_000 }).tally;
  assert.match(failures.at(-1)?.reason ?? '', /ended at its limit of 3 s/);
  const pids: number[] = JSON.parse(readFileSync(join(folder, 'stubborn.json'), 'utf8'));
  assert.equal(pids.length, 2);
  // What was killed has its id until the machine's first process has seen its end.
  await waitUntil('both are gone', () => !pids.some(isAlive), { withinMs: 5_000 });
});

test('what another user runs ends no run of tests, and is left', async (t) => {
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  t.after(() => other.kill('SIGKILL'));
  // One of root, where root runs the tests; else the first process of the machine, which is root's.
  const isRoot = process.getuid?.() === 0;
  const pid = isRoot ? other.pid : 1;
  const script = `import { markOf } from ${JSON.stringify(join(projectRoot, 'infra/dev/process-mark.ts'))};
    import { killLeft } from ${JSON.stringify(join(projectRoot, 'infra/dev/process-tree.ts'))};
    const mark = await markOf(${pid});
    if (${isRoot}) process.setuid(65534);
    await killLeft([mark, mark], 0);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.equal(isAlive(other.pid ?? 0), true);
});

test('a failure counts once, with its reason', () => {
  const { passed, failures } = tallyOf('bad.test.mjs');
  assert.equal(passed, 0);
  assert.deepEqual(
    failures.map(({ reason }) => reason),
    ['boom'],
  );
});

test('a failure whose error cannot be told between processes counts as well', () => {
  assert.deepEqual(
    tallyOf('symbols.test.mjs').failures.map(({ name }) => name),
    ['compares symbols'],
  );
});

test('a file that cannot be loaded is a failure', () => {
  assert.equal(tallyOf('crashing.test.mjs').failures.length, 1);
});

test('a file without tests passes nothing', () => {
  const { passed, failures } = tallyOf('empty.test.mjs');
  assert.deepEqual({ passed, failures }, { passed: 0, failures: [] });
});

test('a suite that is skipped is told, so that it cannot hide its tests', () => {
  const { passed, skips } = tallyOf('hidden.test.mjs');
  assert.equal(passed, 0);
  assert.deepEqual(
    skips.map(({ name }) => name),
    ['a whole suite'],
  );
});

test('a file that does not end is ended at its limit, and fails', () => {
  const { tally } = runAll(['hanging.test.mjs', 'good.test.mjs'], { limitMs: 4_000 });
  assert.deepEqual(
    tally.failures.map(({ name, reason }) => [name, reason]),
    [['the file ends within its limit', 'ended at its limit of 4 s, after its tests']],
  );
});

test('a test that does not end is named', () => {
  const { tally } = runAll(['endless.test.mjs'], { limitMs: 4_000 });
  assert.deepEqual(
    tally.failures.map(({ reason }) => reason),
    ['ended at its limit of 4 s, in "never ends"'],
  );
});

test('more files run at once as soon as more may', () => {
  const names = ['good.test.mjs', 'left.test.mjs', 'right.test.mjs'] as const;
  const { tally } = runAll(names, { concurrency: 'tally.files.length === 0 ? 1 : 2' });
  assert.deepEqual([tally.failures, tally.files.length], [[], 3]);
});

test('one more file than that runs while it may, as where the machine has nothing to do', () => {
  const { tally } = runAll(['left.test.mjs', 'right.test.mjs'], { concurrency: '1', mayRunMore: 'running === 1' });
  assert.deepEqual([tally.failures, tally.files.length], [[], 2]);
  const { tally: alone } = runAll(['left.test.mjs', 'right.test.mjs'], { concurrency: '1', limitMs: 3_000 });
  assert.equal(alone.failures.length, 1, 'and no more else');
});

test('a file that passes takes one line, one that fails shows all it wrote', () => {
  const { tally, printed } = runAll(['good.test.mjs', 'bad.test.mjs']);
  assert.match(printed, /^✔ +\d+\.\d s {2}.*good\.test\.mjs \(3\)$/m);
  assert.match(printed, /^✖ +\d+\.\d s {2}.*bad\.test\.mjs \(1\)$/m);
  assert.match(printed, /written by the bad file/);
  assert.match(printed, /boom/);
  assert.equal(printed.includes('inner'), false, 'no test of the file that passed');
  assert.deepEqual(tally.files.map(({ tests }) => tests).sort(), [1, 3]);
});
