import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  firstRefusals,
  keepRefusals,
  wasMemoryRefused,
} from '../../../adapters/docker/build-bounds/memory-refusals.ts';

const GROUPS = { group: 'all/org.acme/bld_1', org: 'all/org.acme' };

/** Groups whose counts a test sets. */
function counters(counts: Record<string, number | null>) {
  const looked: [string, boolean][] = [];
  const memoryRefusals = async (path: string, { below }: { readonly below: boolean }): Promise<number | null> => {
    looked.push([path, below]);
    return counts[path] ?? null;
  };
  return { looked, cgroups: { memoryRefusals } };
}

describe('why a process was killed for want of memory', () => {
  it('is a limit that refused memory a moment ago, of the build or of its org', async () => {
    for (const refusing of [GROUPS.group, GROUPS.org]) {
      const counts = { [GROUPS.group]: 0, [GROUPS.org]: 7 };
      const { cgroups, looked } = counters(counts);
      const build = { ...GROUPS, memoryRefusals: await firstRefusals(GROUPS, cgroups, 0) };
      assert.equal(await wasMemoryRefused(build, cgroups, 50), false, 'what others of the org were refused before');
      counts[refusing] = (counts[refusing] ?? 0) + 1;
      assert.equal(await wasMemoryRefused(build, cgroups, 100), true);
      assert.deepEqual(
        new Map(looked),
        new Map([
          [GROUPS.group, true],
          [GROUPS.org, false],
        ]),
      );
    }
  });

  it('is none that refused memory earlier, which was made good by the cache of files', async () => {
    const counts = { [GROUPS.group]: 0, [GROUPS.org]: 0 };
    const { cgroups } = counters(counts);
    const build = { ...GROUPS, memoryRefusals: await firstRefusals(GROUPS, cgroups, 0) };
    counts[GROUPS.group] = 1_000;
    const seen: [number, boolean][] = [];
    for (let now = 50; now <= 4_000; now += 50) {
      seen.push([now, await wasMemoryRefused(build, cgroups, now)]);
      await keepRefusals(build, cgroups, now);
    }
    assert.ok(seen.filter(([now]) => now <= 1_000).every(([, was]) => was));
    assert.ok(seen.filter(([now]) => now > 2_500).every(([, was]) => !was));
  });

  it('is not known where the kernel does not say: then it is the build’s own', async () => {
    const { cgroups } = counters({});
    const build = { ...GROUPS, memoryRefusals: await firstRefusals(GROUPS, cgroups, 0) };
    assert.equal(await wasMemoryRefused(build, cgroups, 50), true);
  });
});
