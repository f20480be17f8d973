import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { projectRoot } from '../../infra/dev/project.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-test-run-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const SOURCES = {
  'good.test.mjs': `import { describe, test } from 'node:test';
    describe('a suite', () => { test('one', () => {}); test('two', (t) => t.test('inner', () => {})); });
    test('skipped', { skip: true }, () => {}); test('later', { todo: true }, () => { throw new Error('not yet'); });`,
  'bad.test.mjs': `import { describe, test } from 'node:test';
    describe('a suite', () => { test('breaks', () => { throw new Error('boom'); }); });`,
  'crashing.test.mjs': `throw new Error('cannot load');`,
  'empty.test.mjs': '',
};

function tallyOf(...names: (keyof typeof SOURCES)[]): {
  passed: number;
  skipped: number;
  failures: { reason: string }[];
} {
  for (const name of names) writeFileSync(join(folder, name), SOURCES[name]);
  const files = names.map((name) => join(folder, name));
  const script = `import { runFiles } from ${JSON.stringify(join(projectRoot, 'infra/dev/test-run.ts'))};
    const tally = { passed: 0, skipped: 0, failures: [], durations: [] };
    const signal = new AbortController().signal;
    await runFiles({ files: ${JSON.stringify(files)}, concurrency: 2, timeoutMs: 20000, signal }, tally);
    console.log('\\n' + JSON.stringify(tally));`;
  writeFileSync(join(folder, 'tally.mjs'), script);
  // Marked as a test's child, the runner would refuse to run inside this test.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'tally.mjs')], { env, encoding: 'utf8' });
  const last = stdout.trim().split('\n').pop() ?? '';
  assert.match(last, /^\{/, stderr);
  return JSON.parse(last);
}

test('tests count once each; suites, skips and todos do not count as passed', () => {
  const { passed, skipped, failures } = tallyOf('good.test.mjs');
  assert.deepEqual({ passed, skipped, failures }, { passed: 3, skipped: 2, failures: [] });
});

test('a failure counts once, with its reason', () => {
  const { passed, failures } = tallyOf('bad.test.mjs');
  assert.equal(passed, 0);
  assert.deepEqual(
    failures.map(({ reason }) => reason),
    ['boom'],
  );
});

test('a file that cannot be loaded is a failure', () => {
  assert.equal(tallyOf('crashing.test.mjs').failures.length, 1);
});

test('a file without tests passes nothing', () => {
  const { passed, failures } = tallyOf('empty.test.mjs');
  assert.deepEqual({ passed, failures }, { passed: 0, failures: [] });
});
