import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { pauseBuild } from '../../../activities/deploys/pause-build.ts';
import type { SlotRequested } from '../../../domain/deploys/messages.ts';
import { notBegun, planDeploy } from '../../../domain/deploys/plan.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';
import { buildRecord, CONTEXT, catalogRecord } from '../../ports/records.ts';
import { useDeploy } from './use-deploy.ts';

const STEP = 'scope-grants';
const input = { buildId: 'bld_waits', step: STEP };
const catalog = catalogRecord({
  auth: { mode: 'service-only', passport: NO_PASSPORT },
  dependencies: [{ service: 'notes', scopes: ['read'] }],
});

/** A build that has come to its scope grants, with a slot, a source and a warning of two steps. */
describe('a build that begins to wait', () => {
  let parts: Awaited<ReturnType<typeof useDeploy>>['parts'];
  let request: SlotRequested;
  beforeEach(async () => {
    ({ parts } = await useDeploy());
    const steps = planDeploy({ ...CONTEXT, catalog }).map(notBegun);
    await parts.builds.create(buildRecord({ id: input.buildId, steps }));
    for (const { key, stage, run } of steps) {
      if (run === null) continue;
      await parts.builds.markStep(
        input.buildId,
        { key, stage },
        { state: 'running', attempt: 2, startedAt: new Date() },
      );
      if (key === STEP) break;
      const warnings = ['catalog', 'dependencies'].includes(key) ? [`of ${key}`] : [];
      await parts.builds.markStep(input.buildId, { key, stage }, { state: 'completed', warnings }, { warnings });
    }
    const slot = { buildId: input.buildId, workflowId: 'build/bld_waits', environment: 'prod', limit: 1 } as const;
    await parts.workflows.requestSlot(slot);
    request = slot;
    await parts.workspace.write(input.buildId, 'app.js', '');
  });

  it('gives its slot back, and the files of its source: the image is made of them', async () => {
    await pauseBuild(parts, input);
    assert.deepEqual([parts.workflows.holders(), await parts.workspace.builds()], [[], []]);
  });

  it('keeps the files where a step that needs them is still to be run', async () => {
    await pauseBuild(parts, { ...input, step: 'image-build' });
    assert.deepEqual(await parts.workspace.builds(), [input.buildId]);
  });

  it('an attempt that was paused until the build went on leaves it its slot', async () => {
    await pauseBuild(parts, { ...input, round: 0 });
    await parts.workflows.requestSlot({ ...request, round: 2 });
    await pauseBuild(parts, { ...input, round: 0 });
    assert.deepEqual(parts.workflows.holders(), [input.buildId]);
    await pauseBuild(parts, { ...input, round: 2 });
    assert.deepEqual(parts.workflows.holders(), []);
  });

  it('names what runs again before its step; what that warned of stays until it runs', async () => {
    for (const _ of ['first', 'repeated']) {
      const { attempts, again } = await pauseBuild(parts, input);
      assert.equal(attempts, 2);
      assert.deepEqual(
        again?.map(({ step, attempts: made }) => [step.key, step.state, made]),
        [
          ['config-preflight', 'pending', 2],
          ['dependencies', 'pending', 2],
          ['oauth-client', 'pending', 2],
        ],
      );
      assert.deepEqual((await parts.builds.find(input.buildId))?.warnings, ['of catalog', 'of dependencies']);
    }
  });

  it('is refused without a record', async () => {
    await assert.rejects(pauseBuild(parts, { ...input, buildId: 'bld_none' }), { code: 'BUILD_NOT_FOUND' });
  });
});
