import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../infra/dev/project.ts';
import { SMOKE } from '../../infra/dev/smoke.ts';
import { LANES, needsEngine } from '../../infra/dev/test-lanes.ts';
import { keepSeconds, longestFirst, readSeconds, SLOW_FILES } from '../../infra/dev/test-seconds.ts';
import { selectFiles } from '../../infra/dev/test-selection.ts';

const all = selectFiles({ filters: [], smoke: false, endToEnd: true });
const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

test('every test file belongs to exactly one lane', () => {
  assert.ok(all.length > 200);
  const lost = all.filter((file) => LANES.filter((lane) => lane.holds(file)).length !== 1);
  assert.deepEqual(lost, []);
});

test('no test is given more time than its file has', () => {
  const tooLong = all.flatMap((file) => {
    const limitMs = LANES.find((lane) => lane.holds(file))?.fileLimitMs ?? 0;
    const given = [...read(file).matchAll(/\btimeout: ([\d_]+)/g)].map(([, ms = '']) => Number(ms.replaceAll('_', '')));
    return given.filter((ms) => ms >= limitMs).map((ms) => `${file}: ${ms} of ${limitMs} ms`);
  });
  assert.deepEqual(tooLong, []);
});

test('what kills a part of the stack runs alone', () => {
  const killers = all.filter((file) => file.startsWith('test/e2e/') && /\bkillPart\(/.test(read(file)));
  assert.ok(killers.length > 0);
  assert.deepEqual(
    killers.filter((file) => !file.endsWith('.alone.test.ts')),
    [],
  );
});

test('a container engine is there for what uses one, and is not started for what does not', () => {
  const users = all.filter((file) => /\/engine-fixture\.ts'/.test(read(file)));
  assert.ok(users.length > 3);
  assert.deepEqual(
    [...users, ...all.filter((file) => file.startsWith('test/e2e/'))].filter((file) => !needsEngine(file)),
    [],
  );
  const rules = selectFiles({ filters: ['domain'], smoke: false, endToEnd: true });
  assert.ok(rules.length > 20);
  assert.deepEqual(rules.filter(needsEngine), []);
});

test('files run longest first by what they took the last time, unknown ones before them', () => {
  const env = { XDG_CACHE_HOME: mkdtempSync(join(tmpdir(), 'fairlead-seconds-')) };
  try {
    assert.deepEqual(longestFirst(['a', 'b', 'c'], readSeconds(env)), ['a', 'b', 'c']);
    const ran = (file: string, seconds: number) => ({ file, seconds, tests: 1 });
    keepSeconds(env, { files: [ran('a', 1.04), ran('b', 20)] });
    keepSeconds(env, { files: [ran('c', 3)] });
    assert.deepEqual(readSeconds(env), { a: 1, b: 20, c: 3 });
    assert.deepEqual(longestFirst(['a', 'b', 'c', 'new'], readSeconds(env)), ['new', 'b', 'c', 'a']);
  } finally {
    rmSync(env.XDG_CACHE_HOME, { recursive: true, force: true });
  }
});

test('where nothing ran before, files known as slow run first', () => {
  assert.deepEqual(
    SLOW_FILES.filter((file) => !all.includes(file)),
    [],
  );
  assert.deepEqual(longestFirst(all, {}).slice(0, SLOW_FILES.length), SLOW_FILES);
  assert.deepEqual(longestFirst(all, {}).toSorted(), all.toSorted());
});

test('a smoke run touches every module, and makes one deploy', () => {
  const modules = readdirSync(join(projectRoot, 'domain'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  assert.deepEqual(Object.keys(SMOKE).sort(), modules.sort());
  const files = selectFiles({ filters: [], smoke: true, endToEnd: true });
  assert.deepEqual(files, [...new Set(Object.values(SMOKE).flat())].sort(), 'every file of it is there');
  assert.equal(files.filter((file) => file.startsWith('test/e2e/')).length, 1);
});

test('a filter is a part of a path or a glob; end-to-end tests can be left out', () => {
  const select = (...filters: string[]) => selectFiles({ filters, smoke: false, endToEnd: true });
  assert.deepEqual(select('infra/test-selection'), ['test/infra/test-selection.test.ts']);
  assert.deepEqual(select('test/*/test-selection.test.ts'), ['test/infra/test-selection.test.ts']);
  assert.deepEqual(select('no such file'), []);
  const without = selectFiles({ filters: [], smoke: false, endToEnd: false });
  assert.equal(without.length, all.filter((file) => !file.startsWith('test/e2e/')).length);
});
