import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createBuildBounds } from '../../../adapters/docker/build-bounds/build-bounds.ts';
import { endFillers } from '../../../adapters/docker/build-bounds/end-fillers.ts';
import { NO_MEMORY_REFUSED } from '../../../adapters/docker/build-bounds/memory-refusals.ts';
import { newWatched } from '../../../adapters/docker/build-bounds/watched-build.ts';
import { freeBytes } from '../../../adapters/free-bytes.ts';
import { buildLimits } from '../../../domain/deploys/build-limits.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createEngineSteps, type EngineSteps } from './engine-steps.ts';

const GIB = 1024 ** 3;
const limitsOf = (diskBytes: number) =>
  buildLimits({ processes: 64, memoryBytes: GIB, diskBytes, builds: 2 }, totalmem());

/** Real control groups, and folders as the engine has them; the program that measures is made up. */
describe('a build whose files take long to measure', () => {
  let engine: EngineSteps;
  let env: Record<string, string>;

  beforeEach(async () => {
    engine = await createEngineSteps();
    env = { PATH: `${engine.root}:${process.env.PATH}` };
  });
  afterEach(() => engine[Symbol.asyncDispose]());

  async function measureBy(script: string): Promise<void> {
    await writeFile(join(engine.root, 'du'), `#!/bin/sh\n${script}\n`);
    await chmod(join(engine.root, 'du'), 0o755);
  }

  it('does not keep the next RUN instruction of anybody out of its limits', async () => {
    const { cgroups, root, stackId } = engine;
    await measureBy(`touch ${root}/measuring; while [ ! -e ${root}/enough ]; do sleep 0.1; done`);
    // Below nothing, so that each look at the disk measures.
    const limits = limitsOf(-4 * GIB);
    const warn = (message: string): void => assert.fail(message);
    // The watch begins once there is a step.
    const begun = Promise.withResolvers<void>();
    let asked = 0;
    const engineInfo = async () => {
      asked += 1;
      if (asked > 1) await begun.promise;
      return { rootDirectory: root, cgroupDriver: 'cgroupfs' };
    };
    const options = { cgroups, stackId, limits, engineInfo, env, onWarning: warn };
    const bound = await createBuildBounds(options)({ buildId: 'bld_slow', org: 'acme' });
    const group = (bound.group ?? '').slice(1);
    const first = await engine.begin(bound.noProxyHost);
    begun.resolve();
    const isBound = async ({ id, pid }: { id: string; pid: number }) =>
      (await cgroups.processes(`${group}/${id}`)).includes(pid) || null;
    await waitUntil('the first instruction is bound', () => isBound(first));
    await waitUntil('it is measured', () => existsSync(join(root, 'measuring')) || null, { withinMs: 15_000 });
    const second = await engine.begin(bound.noProxyHost);
    await waitUntil('the second one is bound', () => isBound(second), { withinMs: 15_000 });
    await writeFile(join(root, 'enough'), '');
    await cgroups.kill(group);
    await bound.close();
  });

  it('counts as having written all that the disk has lost since it began', async () => {
    const { cgroups, root, engineGroup } = engine;
    await measureBy('exit 1');
    const group = `${engineGroup}/bld_many`;
    await engine.programIn(`${group}/step`);
    const build = newWatched({
      ...{ group, org: engineGroup, startedAt: performance.now(), memoryRefusals: NO_MEMORY_REFUSED },
      freeAtStart: (await freeBytes(root)) + 4 * GIB,
    });
    build.measuredAt = 0;
    const step = { group, attempt: 'bld_many', mounted: [join(root, 'written')], looksOutside: 0 };
    const watching = { root, builds: new Map([['bld_many', build]]), steps: new Map([['step', step]]) };
    const onWarning = (message: string): void => assert.fail(message);
    await endFillers({ ...watching, cgroups, limits: limitsOf(GIB), env, onWarning });
    assert.equal(build.exceeded, 'disk');
    await Promise.all(build.endings.values());
    assert.deepEqual(await cgroups.processes(group), []);
  });
});
