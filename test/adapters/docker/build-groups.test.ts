import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { createBuildGroups } from '../../../adapters/docker/build-bounds/build-groups.ts';
import type { Watched } from '../../../adapters/docker/build-bounds/watched-build.ts';
import { buildLimits } from '../../../domain/deploys/build-limits.ts';
import { createEngineSteps } from './engine-steps.ts';

const GIB = 1024 ** 3;

it('a group whose processes outlive all tries to end them is removed by the next build after their end', async () => {
  await using engine = await createEngineSteps();
  const { stackId } = engine;
  const builds = new Map<string, Watched>();
  const warnings: string[] = [];
  let killed = 0;
  const groups = createBuildGroups(
    {
      ...{ stackId, limits: buildLimits({ processes: 64, memoryBytes: GIB, diskBytes: GIB, builds: 2 }, 4 * GIB) },
      // As a machine that cannot end them: they wait for a disk.
      cgroups: {
        ...engine.cgroups,
        kill: async () => {
          killed += 1;
        },
      },
      engineInfo: async () => ({ rootDirectory: tmpdir(), cgroupDriver: 'systemd' }),
      onWarning: (message) => void warnings.push(message),
    },
    { builds, shares: { begin: async () => undefined, look: async () => undefined } },
  );
  const build = await groups.begin('bld_1-a', 'acme');
  await engine.programIn(`${build.group}/step`);
  builds.delete('bld_1-a');
  assert.equal(await groups.remove(build), false);
  await groups.removeLater(build);
  assert.equal(killed, 1);
  assert.match(warnings.join(), /Processes of a build are left/);
  await engine.cgroups.kill(build.group);
  await groups.begin('bld_2-a', 'other');
  assert.deepEqual(await engine.cgroups.children(`fairlead-${stackId}`), ['org.other']);
});
