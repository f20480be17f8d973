import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { filesOfSample, SAMPLED_FILES } from '../../infra/dev/sampled-files.ts';
import { SAMPLED_OF, sampleOf } from '../../infra/dev/test-sample.ts';
import { selectFiles } from '../../infra/dev/test-selection.ts';
import { TEST_SAMPLE } from '../../infra/dev/test-variables.ts';
import { isPlayed } from '../support/is-played.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-sample-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const POINTS = Array.from({ length: 20 }, (_, point) => point);
const playedBy = (sample: number | null) => POINTS.filter((point) => isPlayed(point, String(sample ?? '')));

function git(...args: string[]): void {
  const name = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
  execFileSync('git', [...name, ...args], { cwd: folder, stdio: 'pipe' });
}

test('three commits in a row play every point of a matrix once, and each of them a third', async () => {
  git('init', '--quiet', 'whole');
  const played: number[] = [];
  for (let commit = 0; commit < SAMPLED_OF; commit += 1) {
    git('-C', 'whole', 'commit', '--quiet', '--allow-empty', '--message', `commit ${commit}`);
    const points = playedBy(await sampleOf(join(folder, 'whole')));
    assert.ok(points.length >= 6 && points.length <= 7, points.join());
    played.push(...points);
  }
  assert.deepEqual(
    played.sort((a, b) => a - b),
    POINTS,
  );
});

test('a shallow clone, which does not know how many commits there were, plays other points with another commit', async () => {
  const seen = new Set<number | null>();
  for (let commit = 0; seen.size < SAMPLED_OF; commit += 1) {
    assert.ok(commit < 60, [...seen].join());
    git('-C', 'whole', 'commit', '--quiet', '--allow-empty', '--message', `more ${commit}`);
    git('clone', '--quiet', '--depth', '1', `file://${join(folder, 'whole')}`, `clone-${commit}`);
    seen.add(await sampleOf(join(folder, `clone-${commit}`)));
  }
  assert.deepEqual([...seen].sort(), [0, 1, 2]);
});

test('without git, and in a file that is run alone, every point is played', async () => {
  assert.equal(await sampleOf(folder), null);
  assert.deepEqual(playedBy(null), POINTS);
  delete process.env[TEST_SAMPLE];
  assert.deepEqual(
    POINTS.filter((point) => isPlayed(point)),
    POINTS,
  );
});

test('three commits in a row play every long file once, all other files each, and --every plays all', () => {
  const files = selectFiles({ filters: [], smoke: false, endToEnd: true });
  for (const file of SAMPLED_FILES) assert.ok(files.includes(file), file);
  assert.deepEqual(filesOfSample(files, null), files);
  const runs = Array.from({ length: SAMPLED_OF }, (_, sample) => filesOfSample(files, sample));
  for (const file of files) {
    const times = runs.filter((run) => run.includes(file)).length;
    assert.equal(times, SAMPLED_FILES.includes(file) ? 1 : SAMPLED_OF, file);
  }
});

test('no file that --smoke takes is left to another commit', () => {
  const smoke = selectFiles({ filters: [], smoke: true, endToEnd: true });
  for (let sample = 0; sample < SAMPLED_OF; sample += 1) assert.deepEqual(filesOfSample(smoke, sample), smoke);
});
