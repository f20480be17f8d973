import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createBuildBounds } from '../../../adapters/docker/build-bounds/build-bounds.ts';
import type { Cgroups } from '../../../adapters/docker/build-bounds/cgroups.ts';
import { buildLimits } from '../../../domain/deploys/build-limits.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { env } from './engine-fixture.ts';
import { createEngineSteps, type EngineSteps } from './engine-steps.ts';

const PROCESSES = 64;
const limits = buildLimits({ processes: PROCESSES, memoryBytes: 1024 ** 3, diskBytes: 1024 ** 3 }, totalmem());
const starting = (count: number) => `i=0; while [ $i -lt ${count} ]; do sleep 300 & i=$((i+1)); done; wait`;

/** The most processes that a group may have; infinity for no limit. */
async function mostOf(group: string): Promise<number> {
  const files = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'].map((tree) => readFile(`${tree}/${group}/pids.max`, 'utf8'));
  const text = (await Promise.any(files)).trim();
  return text === 'max' ? Number.POSITIVE_INFINITY : Number(text);
}

describe('processes of steps that the worker has not moved yet', () => {
  let engine: EngineSteps;
  /** What the watch over the builds waits for: a worker that gets no CPU. */
  let held: PromiseWithResolvers<void>;

  beforeEach(async () => {
    engine = await createEngineSteps();
    held = Promise.withResolvers();
  });
  afterEach(async () => {
    held.resolve();
    await engine[Symbol.asyncDispose]();
  });

  function boundsBy(cgroups: Cgroups, cgroupDriver = 'cgroupfs') {
    let asked = 0;
    const engineInfo = async () => {
      asked += 1;
      if (asked > 1) await held.promise;
      return { rootDirectory: engine.root, cgroupDriver };
    };
    const onWarning = (message: string): void => assert.fail(message);
    return createBuildBounds({ cgroups, stackId: engine.stackId, limits, engineInfo, env, onWarning });
  }

  it('are bounded together before the build begins, however long the worker takes', async () => {
    const made: string[] = [];
    const make: Cgroups['make'] = async (path, options) => {
      made.push(path);
      await engine.cgroups.make(path, options);
    };
    const bound = await boundsBy({ ...engine.cgroups, make })('bld_early');
    assert.ok(made.includes('docker/buildkit'));
    const most = await mostOf('docker/buildkit');
    assert.ok(most <= 8_192, `${most}`);
    held.resolve();
    await bound.close();
  });

  it('are bounded where systemd makes the groups as soon as the worker sees them', async () => {
    const bound = await boundsBy(engine.cgroups, 'systemd')('bld_systemd');
    const { id } = await engine.begin(bound.noProxyHost);
    const group = `${engine.engineGroup}/${id}`;
    assert.ok((await mostOf(group)) > PROCESSES);
    held.resolve();
    await waitUntil('its bound', async () => (await mostOf(group)) === PROCESSES || null);
    await engine.cgroups.kill(bound.group?.slice(1) ?? '');
    await bound.close();
  });

  it('that are too many already are ended where they are, and the build ends once they are gone', async () => {
    const bound = await boundsBy(engine.cgroups)('bld_bomb');
    const { id } = await engine.begin(bound.noProxyHost, starting(4 * PROCESSES));
    const started = async () => (await engine.cgroups.processes(`${engine.engineGroup}/${id}`)).length;
    await waitUntil('its processes', async () => (await started()) > 4 * PROCESSES || null);
    held.resolve();
    await waitUntil('the end of them', async () => (await started()) === 0 || null);
    assert.equal(await bound.exceeded(), 'processes');
    await bound.close();
    assert.deepEqual(await engine.cgroups.children(`fairlead-${engine.stackId}`), []);
  });

  it('of a build that was refused a process for want of room among others are left alone', async () => {
    const bound = await boundsBy(engine.cgroups)('bld_bystander');
    const { id } = await engine.begin(bound.noProxyHost, 'sleep 600 & wait; sleep 600');
    await waitUntil('its process', async () => (await engine.cgroups.processes(engine.engineGroup)).length > 1 || null);
    const flag = `${engine.root}/full`;
    const second = await engine.begin(bound.noProxyHost, `while [ ! -e ${flag} ]; do :; done; sleep 1 & sleep 600`);
    await engine.cgroups.make(engine.engineGroup, { processes: 1 });
    await writeFile(flag, '');
    await waitUntil(
      'the refusal',
      async () => !(await engine.cgroups.processes(engine.engineGroup)).includes(second.pid) || null,
    );
    held.resolve();
    const moved = `${bound.group?.slice(1)}/${id}`;
    await waitUntil('the first to be moved', async () => (await engine.cgroups.processes(moved)).length > 1 || null);
    assert.equal(await bound.exceeded(), null);
    await engine.cgroups.kill(bound.group?.slice(1) ?? '');
    await bound.close();
  });

  it('a build that is closed before its processes have ended holds its place until they have', async () => {
    let isKilling = false;
    let tries = 0;
    const kill: Cgroups['kill'] = async (group) => {
      tries += 1;
      // As on a machine that is too busy to end them at once.
      if (isKilling) await engine.cgroups.kill(group);
    };
    const bound = await boundsBy({ ...engine.cgroups, kill })('bld_slow');
    held.resolve();
    const group = `${bound.group?.slice(1)}/step`;
    await engine.programIn(group, starting(4 * PROCESSES));
    await waitUntil('the limit', async () => (await bound.exceeded()) !== null || null);
    let isClosed = false;
    const closed = bound.close().then(() => {
      isClosed = true;
    });
    await waitUntil('a try to end them', () => tries > 1 || null);
    assert.deepEqual([(await engine.cgroups.processes(group)).length > 0, isClosed], [true, false]);
    isKilling = true;
    await closed;
    assert.deepEqual(await engine.cgroups.processes(group), []);
  });
});
