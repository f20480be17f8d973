import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALLOWED_SKIPS } from '../../infra/dev/allowed-skips.ts';
import { projectRoot } from '../../infra/dev/project.ts';
import { addVerdicts, summaryOf } from '../../infra/dev/test-report.ts';
import { newTally } from '../../infra/dev/test-tally.ts';

const [allowed] = ALLOWED_SKIPS;

test('a skip that the list does not name fails the run; one that it names is told with its reason', () => {
  assert.ok(allowed);
  const tally = { ...newTally(), passed: 1 };
  tally.skips.push(
    { ...allowed, because: 'here and now' },
    { name: 'quiet', file: 'test/a.test.ts', because: 'skipped' },
  );
  addVerdicts(tally);
  assert.deepEqual(
    tally.failures.map(({ name }) => name),
    ['quiet'],
  );
  assert.ok(summaryOf(tally, 60).includes(`${allowed.name} (${allowed.file}): ${allowed.because}`));
});

test('every skip on the list is of a test that is there, and has a reason', () => {
  for (const { file, name, because } of ALLOWED_SKIPS) {
    assert.ok(existsSync(join(projectRoot, file)), file);
    assert.ok(readFileSync(join(projectRoot, file), 'utf8').includes(`'${name}'`), name);
    assert.ok(because.length > 10, name);
  }
});

test('a run without a test fails', () => {
  const tally = newTally();
  addVerdicts(tally);
  assert.equal(tally.failures.length, 1);
});

test('the summary shows the slowest files first, every failure, and the counts in its last line', () => {
  const tally = { ...newTally(), passed: 7 };
  tally.files.push({ file: 'test/fast.test.ts', seconds: 0.4, tests: 3 });
  tally.files.push({ file: 'test/slow.test.ts', seconds: 12.3, tests: 4 });
  tally.failures.push({ name: 'breaks', file: 'test/slow.test.ts', reason: 'boom' });
  const summary = summaryOf(tally, 90);
  assert.match(summary, /12\.3 +test\/slow\.test\.ts +4 tests\n +0\.4 +test\/fast\.test\.ts +3 tests/);
  assert.match(summary, /✖ breaks \(test\/slow\.test\.ts\)\n +boom/);
  assert.match(summary, /2 files in 1\.5 minutes/);
  assert.equal(summary.split('\n').at(-1), '7 passed, 1 failed');
});
