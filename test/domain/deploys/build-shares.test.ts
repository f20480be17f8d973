import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addRecentCpu,
  areStarving,
  isForgotten,
  NO_RECENT_CPU,
  weightOfBuild,
  weightOfOrg,
} from '../../../domain/deploys/build-shares.ts';

const MINUTE_MS = 60_000;

describe('the CPU that builds share', () => {
  it('an org gives way by the CPU that all its builds used, not by how many it has or how long one of them runs', () => {
    assert.equal(weightOfOrg(NO_RECENT_CPU), 1);
    let recent = addRecentCpu(NO_RECENT_CPU, 9_000, 0);
    assert.equal(weightOfOrg(recent), 1);
    // One short build after the other.
    for (let build = 1; build <= 8; build += 1) recent = addRecentCpu(recent, 9_000, build * 1_000);
    assert.equal(weightOfOrg(recent), 1 / 16);
  });

  it('what an org used is forgotten, half of it each minute', () => {
    const used = addRecentCpu(NO_RECENT_CPU, 64_000, 0);
    assert.equal(addRecentCpu(used, 0, MINUTE_MS).usedMs, 32_000);
    const weights = [0, 1, 2, 3].map((minutes) => weightOfOrg(addRecentCpu(used, 0, minutes * MINUTE_MS)));
    assert.deepEqual(weights, [1 / 16, 1 / 4, 1 / 4, 1]);
    assert.equal(isForgotten(addRecentCpu(used, 0, 9 * MINUTE_MS)), false);
    assert.equal(isForgotten(addRecentCpu(used, 0, 10 * MINUTE_MS)), true);
  });

  it('of the builds of an org, longer ones give way to new ones', () => {
    assert.deepEqual([0, 9_999, 10_000, 59_999, 60_000].map(weightOfBuild), [1, 1, 1 / 4, 1 / 4, 1 / 16]);
  });

  it('builds starve where others take all of the CPU, and not where there is time left that they do not want', () => {
    assert.equal(areStarving({ idle: 0, builds: 0.01 }), true);
    assert.equal(areStarving({ idle: 0, builds: 0.3 }), false);
    assert.equal(areStarving({ idle: 0.5, builds: 0 }), false);
  });
});
