import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SAMPLED_OF, sampleOf } from '../../infra/dev/test-sample.ts';
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
