import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noteAttached, openBuild } from '../../../activities/deploys/open-build.ts';
import type { BuildStep } from '../../../domain/deploys/build.ts';
import { readBehind } from '../../support/in-memory/read-behind.ts';
import { useDeploy } from './use-deploy.ts';

/** A build that a worker opened before it was killed, so that another opens it again; `change` is what it wrote otherwise. */
async function openedBefore(change: (step: BuildStep) => Partial<BuildStep> = () => ({})) {
  const { parts, build } = await useDeploy();
  const first = await openBuild(parts, build);
  const record = await parts.builds.find(build.buildId);
  assert.ok(record !== null);
  const steps = record.steps.map((step) => ({ ...step, ...change(step) }));
  await parts.builds.setSteps(build.buildId, steps);
  return { first, again: () => openBuild(parts, build) };
}

describe('open-build', () => {
  it('opened again, a build keeps its plan and answers the same', async () => {
    const { first, again } = await openedBefore();
    assert.ok(Array.isArray(first) && first.length > 0);
    assert.deepEqual(await again(), first);
  });

  it('opened again after its end, a build does not run again', async () => {
    const { parts, build } = await useDeploy();
    await openBuild(parts, build);
    const end = { status: 'completed', reason: null, failure: null, supersededBy: null } as const;
    await parts.builds.finish(build.buildId, { ...end, finishedAt: parts.now() });
    assert.equal(await openBuild(parts, build), 'ended');
  });

  it('asked for once more after it was attached to another build, a request has no build of its own', async () => {
    const { parts, build } = await useDeploy();
    const inFlight = { ...build, buildId: 'bld_inflight' };
    await openBuild(parts, inFlight);
    await noteAttached(parts, { buildId: inFlight.buildId, request: build });
    assert.deepEqual(await openBuild(parts, build), { attachedTo: inFlight.buildId });
    assert.equal(await parts.builds.find(build.buildId), null);
  });

  it('begins nothing of a service that a failover shows although it is being removed', async () => {
    const { parts, build } = await useDeploy();
    const services = await readBehind(parts.services, [build.serviceId]);
    await parts.services.setRemoving(build.serviceId, true);
    await assert.rejects(openBuild({ ...parts, services }, build), { code: 'SERVICE_NOT_FOUND' });
    assert.equal(await parts.builds.find(build.buildId), null);
  });

  it('a removal that began and found no build before the record was there ends the build before it runs', async () => {
    const { parts, build } = await useDeploy();
    const create: typeof parts.builds.create = async (record) => {
      await parts.services.setRemoving(build.serviceId, true);
      const open = await parts.builds.list({ serviceId: build.serviceId, open: true }, { cursor: null, limit: 1 });
      assert.deepEqual(open.items, []);
      await parts.services.decideRemoval(build.serviceId);
      return await parts.builds.create(record);
    };
    const refused = openBuild({ ...parts, builds: { ...parts.builds, create } }, build);
    await assert.rejects(refused, { code: 'SERVICE_NOT_FOUND', message: /is being removed/ });
    const { status, failure } = (await parts.builds.find(build.buildId)) ?? {};
    assert.deepEqual([status, failure?.code], ['failed', 'SERVICE_NOT_FOUND']);
    assert.equal(await openBuild(parts, build), 'ended', 'asked for once more, it does not run');
  });

  it('a build that was opened before the removal began is not refused when it is opened once more', async () => {
    const { parts, build } = await useDeploy();
    const first = await openBuild(parts, build);
    await parts.services.setRemoving(build.serviceId, true);
    assert.deepEqual(await openBuild(parts, build), first);
  });

  it('a step runs as it was recorded, whatever the table says by now', async () => {
    const { again } = await openedBefore(({ key }) => (key === 'source' ? { title: 'As it was called then' } : {}));
    const plan = await again();
    assert.ok(Array.isArray(plan));
    assert.equal(plan[0]?.title, 'As it was called then');
  });

  it('a plan of version 0.1, which recorded no way to run it, is not taken for one with nothing to run', async () => {
    const { again } = await openedBefore(() => ({ run: null }));
    assert.equal(await again(), null);
  });

  it('a plan with a step that this version cannot read is left to a worker that can, and never run without it', async () => {
    const { again } = await openedBefore(({ key }) => (key === 'install' ? { run: null, state: 'unknown' } : {}));
    await assert.rejects(again(), { code: 'UNAVAILABLE', retryable: true });
  });
});
