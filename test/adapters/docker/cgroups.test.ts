import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { unlessRemoved } from '../../../adapters/docker/build-bounds/cgroup-files.ts';
import { type Cgroups, findCgroups } from '../../../adapters/docker/build-bounds/cgroups.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createEngineSteps, type EngineSteps } from './engine-steps.ts';

const ROOT = '/sys/fs/cgroup';

/** Of this machine's kernel, whichever version of its interface it has. */
async function kernelSays(path: string, names: readonly string[]): Promise<string> {
  return (await Promise.any(names.map((name) => readFile(join(ROOT, name.replace('*', path)), 'utf8')))).trim();
}

describe('control groups of this machine', () => {
  let engine: EngineSteps;
  beforeEach(async () => {
    engine = await createEngineSteps();
  });
  afterEach(() => engine[Symbol.asyncDispose]());

  it('a group gives way to all others where the kernel knows that, and has a weight again afterwards', async () => {
    const { cgroups, engineGroup: group } = engine;
    await cgroups.make(group, {});
    const idle = () => kernelSays(group, ['cpu/*/cpu.idle', '*/cpu.idle']).then(Number, () => null);
    const isKnown = (await idle()) !== null;
    assert.equal(await cgroups.giveWay(group, true), isKnown);
    assert.equal(await idle(), isKnown ? 1 : null);
    // One that gives way takes none; nothing fails.
    await cgroups.weigh(group, 1 / 4);
    assert.equal(await cgroups.giveWay(group, false), false);
    await cgroups.weigh(group, 1 / 4);
    const weight = await kernelSays(group, ['cpu/*/cpu.shares', '*/cpu.weight']);
    assert.ok(['256', '25'].includes(weight), weight);
  });

  it('the CPU that a group used is counted with what ended in it, and begins anew with the group', async () => {
    const { cgroups, engineGroup } = engine;
    const group = `${engineGroup}/busy`;
    await engine.programIn(group, 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done');
    await waitUntil('its end', async () => (await cgroups.processes(group)).length === 0 || null);
    assert.ok((await cgroups.cpuUsedMs(group)) > 0);
    assert.ok((await cgroups.cpuUsedMs(engineGroup)) >= (await cgroups.cpuUsedMs(group)));
    await cgroups.remove(group);
    await cgroups.make(group, {});
    assert.equal(await cgroups.cpuUsedMs(group), 0);
  });

  it('kills all that is below a group, and returns once it is gone', async () => {
    const { cgroups, engineGroup } = engine;
    const many = 'i=0; while [ $i -lt 300 ]; do sleep 600 & i=$((i+1)); done; wait';
    for (const name of ['one', 'other']) await engine.programIn(`${engineGroup}/${name}`, many);
    await waitUntil('them', async () => (await cgroups.processes(engineGroup)).length > 600 || null);
    await cgroups.kill(engineGroup);
    assert.deepEqual(await cgroups.processes(engineGroup), []);
  });
});

/** Version 2 as a folder of files: what is written where, which a kernel of version 1 cannot show. */
describe('control groups, version 2', () => {
  let root: string;
  let cgroups: Cgroups;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'fairlead-cgroups-'));
    await writeFile(join(root, 'cgroup.controllers'), 'cpuset cpu io memory pids\n');
    await writeFile(join(root, 'cgroup.procs'), '');
    const found = await findCgroups(root);
    assert.ok(found !== null, 'this test needs root');
    cgroups = found;
  });
  after(() => rm(root, { recursive: true, force: true }));

  const textOf = (file: string) => readFile(join(root, file), 'utf8');
  const putFiles = async (group: string, files: Record<string, string>) => {
    await mkdir(join(root, group), { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(root, group, name), text);
  };

  it('each group above passes its controllers on, and that of disks where there is one', async () => {
    await cgroups.make('all/org/build', { processes: 64, memoryBytes: 1024 });
    for (const above of ['', 'all', 'all/org']) {
      assert.equal(await textOf(join(above, 'cgroup.subtree_control')), '+pids +memory +cpu +io');
    }
    assert.equal(await textOf('all/org/build/pids.max'), '64');
    assert.equal(existsSync(join(root, 'all/org/build/io.weight')), false, 'where no scheduler knows groups');
  });

  it('what another worker removes while it is made is made again, a few times', async () => {
    const gone = Object.assign(new Error('gone'), { code: 'ENOENT' });
    let calls = 0;
    await unlessRemoved(async () => {
      calls += 1;
      if (calls < 3) throw gone;
    });
    assert.equal(calls, 3);
    await assert.rejects(
      unlessRemoved(() => Promise.reject(gone)),
      gone,
    );
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
    await assert.rejects(
      unlessRemoved(() => Promise.reject(full)),
      full,
    );
  });

  it('a weight is that of the CPU and, by whichever scheduler, of disks', async () => {
    await putFiles('weighed', { 'cpu.weight': '', 'io.weight': '', 'io.bfq.weight': '' });
    await cgroups.weigh('weighed', 1 / 4);
    const names = ['cpu.weight', 'io.weight', 'io.bfq.weight'];
    assert.deepEqual(await Promise.all(names.map((name) => textOf(`weighed/${name}`))), ['25', '25', '25']);
  });

  it('CPU is counted in microseconds, and a group is killed in one act', async () => {
    await putFiles('counted', {
      'cpu.stat': 'usage_usec 1500\nuser_usec 1000\n',
      'cgroup.kill': '',
      'cgroup.procs': '',
    });
    assert.equal(await cgroups.cpuUsedMs('counted'), 1.5);
    await cgroups.kill('counted');
    assert.equal(await textOf('counted/cgroup.kill'), '1');
  });
});
