import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createBuildBounds } from '../../../adapters/docker/build-bounds/build-bounds.ts';
import { type Cgroups, findCgroups } from '../../../adapters/docker/build-bounds/cgroups.ts';
import { env } from './engine-fixture.ts';

const GIB = 1024 ** 3;
const LIMITS = {
  ofBuild: { processes: 64, memoryBytes: GIB },
  ofAllBuilds: { processes: 256, memoryBytes: GIB },
  diskBytes: GIB,
};
const BUILD = 'bld_0attempt';

let cgroups: Cgroups;
let engineRoot = '';
before(async () => {
  const found = await findCgroups();
  assert.ok(found !== null, 'control groups of this machine can be changed');
  cgroups = found;
  engineRoot = await mkdtemp(join(tmpdir(), 'fairlead-bounds-'));
});
after(() => rm(engineRoot, { recursive: true, force: true }));

function bounds() {
  const stackId = `t${randomBytes(5).toString('hex')}`;
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const root = async () => engineRoot;
  const bound = createBuildBounds({ cgroups, stackId, limits: LIMITS, engineRoot: root, env, onWarning });
  return { bound, warnings, groups: () => cgroups.children(`fairlead-${stackId}`) };
}

describe('attempts at one build', () => {
  it('an attempt that ends late leaves the bounds of the next one in place, which removes them', async () => {
    const { bound, groups } = bounds();
    const paused = await bound(BUILD);
    const next = await bound(BUILD);
    await paused.close();
    assert.deepEqual(await groups(), [BUILD]);
    await next.close();
    assert.deepEqual(await groups(), []);
  });

  it('an attempt that begins while another one ends is bounded', async () => {
    const { bound, warnings, groups } = bounds();
    for (let round = 0; round < 20; round += 1) {
      const ending = await bound('bld_0other');
      const [begun] = await Promise.all([bound(BUILD), ending.close()]);
      assert.deepEqual([await groups(), begun.group === null, warnings], [[BUILD], false, []]);
      await begun.close();
    }
  });
});
