import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  type BoundBuild,
  type BuildOfOrg,
  createBuildBounds,
} from '../../../adapters/docker/build-bounds/build-bounds.ts';
import type { Cgroups } from '../../../adapters/docker/build-bounds/cgroups.ts';
import { buildLimits } from '../../../domain/deploys/build-limits.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { env } from './engine-fixture.ts';
import { createEngineSteps, type EngineSteps } from './engine-steps.ts';

const PROCESSES = 64;
const limits = buildLimits(
  { processes: PROCESSES, memoryBytes: 1024 ** 3, diskBytes: 1024 ** 3, builds: 2 },
  totalmem(),
);
const starting = (count: number) => `i=0; while [ $i -lt ${count} ]; do sleep 300 & i=$((i+1)); done; wait`;

/** The most processes that a group may have; infinity for no limit. */
async function mostOf(group: string): Promise<number> {
  const files = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'].map((tree) => readFile(`${tree}/${group}/pids.max`, 'utf8'));
  const text = (await Promise.any(files)).trim();
  return text === 'max' ? Number.POSITIVE_INFINITY : Number(text);
}

/** Bytes of memory that a group may have. */
async function memoryOf(group: string): Promise<number> {
  const files = ['memory/*/memory.limit_in_bytes', '*/memory.max'].map((file) =>
    readFile(`/sys/fs/cgroup/${file.replace('*', group)}`, 'utf8'),
  );
  return Number((await Promise.any(files)).trim());
}

describe('processes of steps that the worker has not moved yet', () => {
  let engine: EngineSteps;
  /** What the watch over the builds waits for: a worker that gets no CPU. */
  let held: PromiseWithResolvers<void>;

  /** A build that is open is watched: a test that failed meanwhile would never end. */
  let opened: BoundBuild[];

  beforeEach(async () => {
    engine = await createEngineSteps();
    held = Promise.withResolvers();
    opened = [];
  });
  afterEach(async () => {
    held.resolve();
    await engine.cgroups.kill(`fairlead-${engine.stackId}`);
    for (const build of opened) await build.close();
    await engine[Symbol.asyncDispose]();
  });

  function boundsBy(
    cgroups: Cgroups,
    {
      cgroupDriver = 'cgroupfs',
      hasOwnEngine = false,
      onWarning = (message: string): void => assert.fail(message),
    } = {},
  ) {
    let asked = 0;
    const engineInfo = async () => {
      asked += 1;
      if (asked > 1) await held.promise;
      return { rootDirectory: engine.root, cgroupDriver };
    };
    const { stackId } = engine;
    const open = createBuildBounds({ cgroups, stackId, limits, engineInfo, hasOwnEngine, env, onWarning });
    return async (build: BuildOfOrg): Promise<BoundBuild> => {
      const begun = await open(build);
      opened.push(begun);
      return begun;
    };
  }

  it('are bounded together before the build begins, however long the worker takes', async () => {
    const made: string[] = [];
    const make: Cgroups['make'] = async (path, options) => {
      made.push(path);
      await engine.cgroups.make(path, options);
    };
    const bound = await boundsBy({ ...engine.cgroups, make })({ buildId: 'bld_early', org: 'acme' });
    assert.ok(made.includes('docker/buildkit'));
    const most = await mostOf('docker/buildkit');
    assert.ok(most <= 8_192, `${most}`);
    held.resolve();
    await bound.close();
  });

  it('in an engine of the stack are bounded with its builds, and nothing of that is left', async () => {
    const bound = await boundsBy(engine.cgroups, { hasOwnEngine: true })({ buildId: 'bld_own', org: 'acme' });
    const all = `fairlead-${engine.stackId}`;
    assert.deepEqual((await engine.cgroups.children(all)).toSorted(), ['org.acme', 'starting']);
    assert.equal(await mostOf(`${all}/starting/buildkit`), 8_192);
    assert.equal(await mostOf(all), limits.ofAllBuilds.processes + 8_192);
    held.resolve();
    await bound.close();
    const left = ['pids', ''].filter((tree) => existsSync(`/sys/fs/cgroup/${tree}/${all}`));
    assert.deepEqual(left, []);
  });

  it('are bounded where systemd makes the groups as soon as the worker sees them', async () => {
    const bound = await boundsBy(engine.cgroups, { cgroupDriver: 'systemd' })({ buildId: 'bld_systemd', org: 'acme' });
    const { id } = await engine.begin(bound.noProxyHost);
    const group = `${engine.engineGroup}/${id}`;
    assert.ok((await mostOf(group)) > PROCESSES);
    held.resolve();
    await waitUntil('its bound', async () => (await mostOf(group)) === PROCESSES || null);
    await engine.cgroups.kill(bound.group?.slice(1) ?? '');
    await bound.close();
  });

  it('that are too many already are ended where they are, and the build ends once they are gone', async () => {
    const bound = await boundsBy(engine.cgroups)({ buildId: 'bld_bomb', org: 'acme' });
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
    const bound = await boundsBy(engine.cgroups)({ buildId: 'bld_bystander', org: 'acme' });
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

  it('that turn up outside after their step was moved are moved as well, and held to its limits where they are', async () => {
    const bound = await boundsBy(engine.cgroups)({ buildId: 'bld_late', org: 'acme' });
    held.resolve();
    const { id } = await engine.begin(bound.noProxyHost);
    const [outside, inside] = [`${engine.engineGroup}/${id}`, `${bound.group?.slice(1)}/${id}`];
    const moved = (count: number) => async () => (await engine.cgroups.processes(inside)).length >= count || null;
    await waitUntil('the step in its group', moved(1));
    const isHeld = async () => (await memoryOf(outside)) === limits.ofBuild.memoryBytes || null;
    await waitUntil('the bound of memory', isHeld);
    // As a process that was started while the one that started it was moved.
    await engine.programIn(outside);
    await waitUntil('the late one in the group', moved(2));
    await waitUntil('its limits', async () => (await mostOf(outside)) === PROCESSES || null);
    assert.equal(await bound.exceeded(), null);
  });

  it('of a step that flees from its group, look after look, are ended', async () => {
    // Each process of it ends before it is moved, and leaves another one.
    const move: Cgroups['move'] = async (from) => (await engine.cgroups.processes(from)).length;
    const bound = await boundsBy({ ...engine.cgroups, move })({ buildId: 'bld_fleeing', org: 'acme' });
    held.resolve();
    const { id } = await engine.begin(bound.noProxyHost);
    const left = async () => (await engine.cgroups.processes(`${engine.engineGroup}/${id}`)).length;
    await waitUntil('its end', async () => (await left()) === 0 || null);
    assert.equal(await bound.exceeded(), 'processes');
  });

  it('that use more memory than their build may, before they are moved, are ended where they are', async () => {
    const holdMemory: Cgroups['holdMemory'] = async (group, bytes) =>
      group.startsWith(engine.engineGroup) ? false : await engine.cgroups.holdMemory(group, bytes);
    const bound = await boundsBy({ ...engine.cgroups, holdMemory })({ buildId: 'bld_large', org: 'acme' });
    held.resolve();
    const { id } = await engine.begin(bound.noProxyHost);
    await waitUntil('the charge', async () => (await bound.exceeded()) === 'memory' || null);
    const groups = [`${engine.engineGroup}/${id}`, bound.group?.slice(1) ?? ''];
    const left = async () => (await Promise.all(groups.map(engine.cgroups.processes))).flat().length;
    await waitUntil('its end', async () => (await left()) === 0 || null);
  });

  it('a build that keeps its limits is neither ended nor blamed when others took the last process', async () => {
    const bound = await boundsBy(engine.cgroups)({ buildId: 'bld_victim', org: 'quiet' });
    held.resolve();
    const all = `fairlead-${engine.stackId}`;
    const group = `${bound.group?.slice(1)}/step`;
    await engine.programIn(`${all}/org.other/full`, starting(9));
    await engine.cgroups.make(all, { processes: 20 });
    await engine.programIn(group, `sleep 600 & sleep 600 & (${starting(30)}); sleep 600`);
    await waitUntil('a refusal', async () => (await engine.cgroups.events(group)).refusedForks > 0 || null);
    await waitUntil('that it is seen', async () => (await bound.shortage()) === 'processes' || null);
    assert.equal(await bound.exceeded(), null);
    await engine.cgroups.make(all, { processes: 1_000 });
    // Its own limit, by processes that nothing else refuses, is charged all the same.
    await engine.programIn(group, starting(2 * PROCESSES));
    await waitUntil('its own limit', async () => (await bound.exceeded()) === 'processes' || null);
    assert.equal(await bound.shortage(), null);
    await engine.cgroups.kill(`${all}/org.other/full`);
    await bound.close();
  });

  it('of a build whose group something else removed are in one with its limits, or stay where they are', async () => {
    const warnings: string[] = [];
    const bound = await boundsBy(engine.cgroups, { onWarning: (message) => void warnings.push(message) })({
      buildId: 'bld_gone',
      org: 'acme',
    });
    const group = bound.group?.slice(1) ?? '';
    const org = `fairlead-${engine.stackId}/org.acme`;
    await engine.cgroups.remove(org);
    const { id } = await engine.begin(bound.noProxyHost);
    assert.equal(await engine.cgroups.move(`${engine.engineGroup}/${id}`, `${group}/${id}`), null);
    assert.deepEqual(await engine.cgroups.children(`fairlead-${engine.stackId}`), []);
    held.resolve();
    const moved = async () => (await engine.cgroups.processes(`${group}/${id}`)).length > 0 || null;
    await waitUntil('its step in its group', moved);
    assert.deepEqual([await mostOf(group), await mostOf(org)], [PROCESSES, 2 * PROCESSES]);
    assert.match(warnings.join(), /was removed while it builds, and is made anew/);
    await engine.cgroups.kill(group);
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
    const bound = await boundsBy({ ...engine.cgroups, kill })({ buildId: 'bld_slow', org: 'acme' });
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
