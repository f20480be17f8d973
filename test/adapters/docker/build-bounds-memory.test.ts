import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type BoundBuild, createBuildBounds } from '../../../adapters/docker/build-bounds/build-bounds.ts';
import type { BuildLimits } from '../../../domain/deploys/build-limits.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { env } from './engine-fixture.ts';
import { createEngineSteps, type EngineSteps } from './engine-steps.ts';

const MIB = 1024 ** 2;
/** So small that a build which reaches them does this machine no harm. Two orgs have all that there is. */
const LIMITS: BuildLimits = {
  ofBuild: { processes: 64, memoryBytes: 48 * MIB },
  ofOrg: { processes: 128, memoryBytes: 48 * MIB },
  ofAllBuilds: { processes: 512, memoryBytes: 96 * MIB },
  diskBytes: 1024 * MIB,
};
/** A process that has so much memory for a moment. */
const allocate = (mib: number) => `dd if=/dev/zero of=/dev/null bs=${mib}M count=1`;

describe('memory of builds', () => {
  let engine: EngineSteps;
  let open: ReturnType<typeof createBuildBounds>;
  let warnings: string[];
  let opened: BoundBuild[];
  let files: string[];

  beforeEach(async () => {
    engine = await createEngineSteps();
    [warnings, opened, files] = [[], [], []];
    open = createBuildBounds({
      ...{ cgroups: engine.cgroups, stackId: engine.stackId, limits: LIMITS, env },
      engineInfo: async () => ({ rootDirectory: engine.root, cgroupDriver: 'cgroupfs' }),
      onWarning: (message) => void warnings.push(message),
    });
  });
  afterEach(async () => {
    await engine.cgroups.kill(`fairlead-${engine.stackId}`);
    for (const file of files) await rm(file, { force: true });
    for (const build of opened) await build.close();
    await engine[Symbol.asyncDispose]();
  });

  async function begin(org: string): Promise<{ bound: BoundBuild; group: string; step: string }> {
    const bound = await open({ buildId: `bld_${org}`, org });
    opened.push(bound);
    const group = bound.group?.slice(1) ?? '';
    return { bound, group, step: `${group}/step` };
  }

  /** A file in memory is of no process: the kernel cannot end what holds it. */
  async function fill(group: string, mib: number): Promise<void> {
    const file = `/dev/shm/fairlead-${randomBytes(6).toString('hex')}`;
    files.push(file);
    const before = await engine.cgroups.memoryUsed(group);
    await engine.programIn(`${group}/fill`, `dd if=/dev/zero of=${file} bs=1M count=${mib}; sleep 600`);
    const isFull = async () => (await engine.cgroups.memoryUsed(group)) - before >= (mib - 1) * MIB || null;
    await waitUntil(`${mib} MiB in ${group}`, isFull);
  }

  const killed = (group: string) => async () => (await engine.cgroups.events(group)).memoryKills > 0 || null;

  it('that two orgs have taken: a third build is not charged, and one of the org that has most gives way', async () => {
    const [one, two, quiet] = [await begin('one'), await begin('two'), await begin('quiet')];
    await fill(one.group, 40);
    await fill(two.group, 44);
    await engine.programIn(quiet.step, `${allocate(30)}; sleep 600`);
    await waitUntil('the kernel to end its process', killed(quiet.group));
    await waitUntil('that it is seen', async () => (await quiet.bound.shortage()) === 'memory' || null);
    assert.equal(await quiet.bound.exceeded(), null);
    await waitUntil(
      'the end of the largest',
      async () => (await engine.cgroups.processes(two.group)).length === 0 || null,
    );
    assert.deepEqual([await two.bound.exceeded(), await two.bound.shortage()], [null, 'memory']);
    assert.match(warnings.join(), /gives way: .*bld_two/);
    assert.deepEqual([await one.bound.exceeded(), await one.bound.shortage()], [null, null]);
    assert.ok((await engine.cgroups.processes(one.group)).length > 0, 'the other one goes on');
  });

  it('that a build wants beyond its own limit is charged to it, and stays so while it goes on', async () => {
    const { bound, group, step } = await begin('greedy');
    await engine.programIn(step, `${allocate(80)}; sleep 600`);
    await waitUntil('the kernel to end its process', killed(group));
    await waitUntil('the charge', async () => (await bound.exceeded()) === 'memory' || null);
    const since = performance.now();
    await waitUntil('some looks', async () => {
      assert.deepEqual([await bound.exceeded(), await bound.shortage()], ['memory', null]);
      return performance.now() - since > 3_000 || null;
    });
    assert.ok((await engine.cgroups.processes(group)).length > 0, 'nothing else of it was ended');
  });

  it('that a build wants beyond what its org has left is charged to it', async () => {
    const [first, second] = [await begin('acme'), await begin('acme')];
    await fill(first.group, 34);
    await engine.programIn(second.step, `${allocate(30)}; sleep 600`);
    await waitUntil('the kernel to end its process', killed(second.group));
    assert.equal(await second.bound.exceeded(), 'memory');
    assert.equal(await first.bound.exceeded(), null);
  });

  it('that is read again from files is not taken for used', async () => {
    const { group, step } = await begin('reader');
    const file = `${engine.root}/large`;
    await engine.programIn(
      step,
      `dd if=/dev/zero of=${file} bs=1M count=200; cat ${file} > /dev/null; touch ${file}.read; sleep 600`,
    );
    await waitUntil(
      'a large file',
      async () => (await engine.cgroups.memoryRefusals(group, { below: true })) !== 0 || null,
    );
    assert.ok((await engine.cgroups.memoryUsed(group)) < 32 * MIB);
  });
});
