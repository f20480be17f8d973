import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import {
  type BoundBuild,
  type BuildOfOrg,
  createBuildBounds,
} from '../../../adapters/docker/build-bounds/build-bounds.ts';
import { type Cgroups, findCgroups } from '../../../adapters/docker/build-bounds/cgroups.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { env, stopChild } from './engine-fixture.ts';

const GIB = 1024 ** 3;
const LIMITS = {
  ofBuild: { processes: 64, memoryBytes: GIB },
  ofOrg: { processes: 128, memoryBytes: GIB },
  ofAllBuilds: { processes: 256, memoryBytes: GIB },
  diskBytes: GIB,
};
const BUILD = 'bld_0attempt';
const ORG = 'acme';

let cgroups: Cgroups;
let engineRoot = '';
before(async () => {
  const found = await findCgroups();
  assert.ok(found !== null, 'control groups of this machine can be changed');
  cgroups = found;
  engineRoot = await mkdtemp(join(tmpdir(), 'fairlead-bounds-'));
});
after(() => rm(engineRoot, { recursive: true, force: true }));

/** A build that is open is watched: a test that failed meanwhile would never end. */
const opened: BoundBuild[] = [];
afterEach(async () => {
  for (const build of opened.splice(0)) await build.close();
});

function bounds(stackId = `t${randomBytes(5).toString('hex')}`) {
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const engineInfo = async () => ({ rootDirectory: engineRoot, cgroupDriver: 'cgroupfs' });
  const open = createBuildBounds({ cgroups, stackId, limits: LIMITS, engineInfo, env, onWarning });
  const begin = async (build: BuildOfOrg): Promise<BoundBuild> => {
    const begun = await open(build);
    opened.push(begun);
    return begun;
  };
  const bound = (buildId: string) => begin({ buildId, org: ORG });
  return { begin, bound, stackId, warnings, groups: () => groupsOf(stackId) };
}

/** The most processes that a group may have. */
async function processesOf(group: string): Promise<number> {
  const files = ['pids', ''].map((tree) => readFile(join('/sys/fs/cgroup', tree, group, 'pids.max'), 'utf8'));
  return Number(await Promise.any(files));
}

/** Of the builds of an org. When there are none, nothing is left of the stack. */
async function groupsOf(stackId: string): Promise<readonly string[]> {
  const orgs = await cgroups.children(`fairlead-${stackId}`);
  if (orgs.length === 0) return [];
  assert.deepEqual(orgs, [`org.${ORG}`]);
  return await cgroups.children(`fairlead-${stackId}/org.${ORG}`);
}

/** The names of groups, which begin with the build that they are of. */
const ofBuild = (groups: readonly string[]): readonly (string | undefined)[] =>
  groups.map((name) => name.split('-')[0]);

describe('builds of orgs', () => {
  it('share the limits and the part of the CPU of their org, whose group goes with its last build', async () => {
    const { begin, stackId } = bounds();
    const [one, two, other] = await Promise.all([
      begin({ buildId: 'bld_1', org: 'noisy' }),
      begin({ buildId: 'bld_2', org: 'noisy' }),
      begin({ buildId: 'bld_3', org: 'quiet' }),
    ]);
    assert.ok(one?.group?.startsWith(`/fairlead-${stackId}/org.noisy/bld_1`), one?.group ?? '');
    assert.ok(two?.group?.startsWith(`/fairlead-${stackId}/org.noisy/bld_2`), two?.group ?? '');
    assert.equal(await processesOf(`fairlead-${stackId}/org.noisy`), LIMITS.ofOrg.processes);
    await one?.close();
    await two?.close();
    assert.deepEqual(await cgroups.children(`fairlead-${stackId}`), ['org.quiet']);
    await other?.close();
    assert.deepEqual(await cgroups.children(`fairlead-${stackId}`), []);
  });
});

describe('an org whose slug looks like the mark of a process that is gone', () => {
  it('keeps its group, and its builds theirs, when another build begins', async () => {
    const { begin, stackId } = bounds();
    const org = `${(await readlink('/proc/self/ns/pid')).replace(/\D/g, '')}-1-1`;
    const build = await begin({ buildId: 'bld_1', org });
    const other = await begin({ buildId: 'bld_2', org: 'other' });
    const found = await Promise.allSettled([`fairlead-${stackId}/org.${org}`, build.group ?? ''].map(processesOf));
    await other.close();
    await build.close();
    assert.deepEqual(
      found.map((each) => each.status === 'fulfilled' && each.value),
      [LIMITS.ofOrg.processes, LIMITS.ofBuild.processes],
    );
    assert.deepEqual(await cgroups.children(`fairlead-${stackId}`), []);
  });
});

describe('attempts at one build', () => {
  it('an attempt that ends late leaves the bounds of the next one in place, which removes them', async () => {
    const { bound, groups } = bounds();
    const paused = await bound(BUILD);
    const next = await bound(BUILD);
    await paused.close();
    assert.deepEqual(await groups(), [next.group?.split('/').at(-1)]);
    await paused.close();
    await next.close();
    assert.deepEqual(await groups(), []);
  });

  it('so does one in another worker, and the steps of the two are told from each other', async () => {
    const one = bounds();
    const other = bounds(one.stackId);
    const paused = await one.bound(BUILD);
    const next = await other.bound(BUILD);
    assert.notEqual(paused.noProxyHost, next.noProxyHost);
    await paused.close();
    assert.deepEqual(await one.groups(), [next.group?.split('/').at(-1)]);
    await next.close();
    assert.deepEqual(await one.groups(), []);
  });

  it('an attempt that begins while another one ends is bounded', async () => {
    const { bound, warnings, groups } = bounds();
    for (let round = 0; round < 20; round += 1) {
      const ending = await bound('bld_0other');
      const [begun] = await Promise.all([bound(BUILD), ending.close()]);
      assert.deepEqual([ofBuild(await groups()), begun.group === null, warnings], [[BUILD], false, []]);
      await begun.close();
    }
  });

  it('what a killed worker left is removed by the next build, once it is empty; what a live worker has stays', async () => {
    const { bound, stackId, groups } = bounds();
    const workers = [await startWorker(stackId, 'bld_killed'), await startWorker(stackId, 'bld_live')];
    const step = spawn('sleep', ['300'], { stdio: 'ignore' });
    const [killed, live] = workers;
    assert.ok(killed !== undefined && live !== undefined && step.pid !== undefined);
    try {
      await cgroups.make(`${killed.group}/step`, LIMITS.ofBuild);
      const parked = `fairlead-${stackId}-parked`;
      await cgroups.make(parked, LIMITS.ofBuild);
      await moveInto(parked, step.pid);
      await cgroups.move(parked, `${killed.group}/step`);
      await cgroups.remove(parked);
      await stopChild(killed.child);
      await (await bound(BUILD)).close();
      assert.deepEqual(ofBuild(await groups()).toSorted(), ['bld_killed', 'bld_live'], 'its step still runs');
      await stopChild(step);
      await waitUntil('the end of the step', async () => (await cgroups.processes(killed.group)).length === 0 || null);
      const next = await bound(BUILD);
      assert.deepEqual(ofBuild(await groups()).toSorted(), [BUILD, 'bld_live']);
      await next.close();
    } finally {
      await stopChild(step);
      for (const { child } of workers) await stopChild(child);
    }
    await (await bound(BUILD)).close();
    assert.deepEqual(await groups(), []);
  });
});

/** Another process that bounds a build, until it is killed. */
async function startWorker(stackId: string, buildId: string): Promise<{ child: ChildProcess; group: string }> {
  const file = join(import.meta.dirname, 'bounds-child.ts');
  const child = spawn(process.execPath, [file, stackId, buildId], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { child, group: String(line).trim().slice(1) };
}

async function moveInto(group: string, pid: number): Promise<void> {
  const places = ['pids', 'memory', 'cpu', ''].map((tree) => join('/sys/fs/cgroup', tree, group, 'cgroup.procs'));
  for (const place of places) if (existsSync(place)) await writeFile(place, String(pid));
}
