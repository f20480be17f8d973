import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_MEMORY_REFUSED } from '../../../adapters/docker/build-bounds/memory-refusals.ts';
import { createCpuShares } from '../../../adapters/docker/build-bounds/share-cpu.ts';
import { newWatched, type Watched } from '../../../adapters/docker/build-bounds/watched-build.ts';
import { WEIGHT_OF_ALL_BUILDS } from '../../../domain/deploys/build-shares.ts';

const ALL = 'fairlead-test';
const MINUTE_MS = 60_000;

/** Groups as a kernel has them: one that gives way takes no weight, and has the usual one after it. */
function groups({ knowsGivingWay = true } = {}) {
  const weights = new Map<string, number>();
  const givingWay = new Set<string>();
  const usedMs = new Map<string, number>();
  return {
    weights,
    givingWay,
    usedMs,
    cgroups: {
      weigh: async (path: string, weight: number) => {
        if (!givingWay.has(path)) weights.set(path, weight);
      },
      giveWay: async (path: string, givesWay: boolean) => {
        if (!knowsGivingWay) return false;
        if (givesWay) givingWay.add(path);
        else if (givingWay.delete(path)) weights.set(path, 1);
        return givesWay;
      },
      cpuUsedMs: async (path: string) => usedMs.get(path) ?? 0,
    },
  };
}

function buildOf(org: string, number: number, ageMs = 0): Watched {
  const groups = { group: `${ALL}/${org}/${number}`, org: `${ALL}/${org}` };
  return newWatched({
    ...groups,
    ...{ freeAtStart: 0, startedAt: performance.now() - ageMs, memoryRefusals: NO_MEMORY_REFUSED },
  });
}

/** Two CPUs of a machine, of which a test says how long they were idle. */
function machine() {
  const times = { idleMs: 0, totalMs: 0 };
  return {
    read: () => ({ ...times }),
    pass: ({ idleMs }: { idleMs: number }) => {
      times.idleMs += idleMs;
      times.totalMs += 2_000;
    },
  };
}

/** A clock of which a second passes each time that it is read. */
function everySecond(): () => number {
  let now = performance.now();
  return () => {
    now += 1_000;
    return now;
  };
}

describe('the CPU of builds', { concurrency: true }, () => {
  it('is divided between orgs: three builds of one have no more than one of another', async () => {
    const { cgroups, weights } = groups();
    const shares = createCpuShares(cgroups, ALL);
    const builds = [1, 2, 3].map((number) => buildOf('noisy', number)).concat(buildOf('quiet', 1));
    for (const build of builds) await shares.begin(build);
    assert.equal(weights.get(`${ALL}/noisy`), weights.get(`${ALL}/quiet`));
  });

  it('an org that used much gives way, also with builds that are new, until that is forgotten', async () => {
    const { cgroups, weights, usedMs } = groups();
    const shares = createCpuShares(cgroups, ALL);
    const [noisy, quiet] = [buildOf('noisy', 1), buildOf('quiet', 1)];
    await shares.begin(noisy);
    usedMs.set(noisy.org, 2 * MINUTE_MS);
    await shares.look([noisy]);
    assert.equal(weights.get(noisy.org), 1 / 16);
    // Its group goes with its last build, and what the kernel counted with it.
    weights.clear();
    usedMs.clear();
    await shares.begin(buildOf('noisy', 2));
    await shares.begin(quiet);
    assert.deepEqual([weights.get(noisy.org), weights.get(quiet.org)], [1 / 16, 1]);
  });

  it('an org is not held to what its group counted before anything was known of it', async () => {
    const { cgroups, weights, usedMs } = groups();
    const build = buildOf('acme', 1);
    usedMs.set(build.org, 2 * MINUTE_MS);
    const shares = createCpuShares(cgroups, ALL);
    await shares.begin(build);
    assert.equal(weights.get(build.org), 1);
    usedMs.set(build.org, 4 * MINUTE_MS);
    await shares.look([build]);
    assert.equal(weights.get(build.org), 1 / 16);
  });

  it('within an org, a build gives way that has run for long, and one that is being ended does not', async () => {
    const { cgroups, weights } = groups();
    const shares = createCpuShares(cgroups, ALL);
    const builds = [buildOf('acme', 1, MINUTE_MS), buildOf('acme', 2), buildOf('acme', 3, MINUTE_MS)];
    for (const build of builds) await shares.begin(build);
    const [, , ending] = builds;
    if (ending !== undefined) ending.exceeded = 'processes';
    await shares.look(builds);
    assert.deepEqual(
      builds.map(({ group }) => weights.get(group)),
      [1 / 16, 1, 1],
    );
  });

  it('all builds give way to the platform and to workloads at once, unless they starve', async () => {
    const { cgroups, givingWay, weights, usedMs } = groups();
    const { read, pass } = machine();
    const build = buildOf('acme', 1);
    const look = async (usage: { idleMs: number; buildsMs: number }) => {
      pass(usage);
      usedMs.set(ALL, (usedMs.get(ALL) ?? 0) + usage.buildsMs);
      await shares.look([build]);
    };
    const shares = createCpuShares(cgroups, ALL, { machineTimes: read, now: everySecond() });
    await shares.begin(build);
    await look({ idleMs: 0, buildsMs: 0 });
    assert.ok(givingWay.has(ALL));
    await look({ idleMs: 0, buildsMs: 0 });
    assert.deepEqual([givingWay.has(ALL), weights.get(ALL)], [false, WEIGHT_OF_ALL_BUILDS]);
    await look({ idleMs: 0, buildsMs: 400 });
    assert.ok(givingWay.has(ALL));
    await look({ idleMs: 1_000, buildsMs: 0 });
    assert.ok(givingWay.has(ALL), 'there is CPU that they do not want');
  });

  it('where the kernel knows no groups that give way, they have a quarter beside all else', async () => {
    const { cgroups, weights } = groups({ knowsGivingWay: false });
    const shares = createCpuShares(cgroups, ALL);
    await shares.begin(buildOf('acme', 1));
    assert.equal(weights.get(ALL), WEIGHT_OF_ALL_BUILDS);
  });
});
