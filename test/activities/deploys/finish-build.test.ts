import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FinishBuildInput, finishBuild } from '../../../activities/deploys/finish-build.ts';
import { openBuild } from '../../../activities/deploys/open-build.ts';
import type { BuildFailure } from '../../../domain/deploys/build.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { stepOf } from '../../ports/records.ts';
import { useDeploy } from './use-deploy.ts';

const failure: BuildFailure = { code: 'IMAGE_BUILD_FAILED', message: 'npm ci failed', step: 'image-build' };
const FAILED = { status: 'failed', reason: 'step_failed', failure, supersededBy: null } as const;
const COMPLETED = { status: 'completed', reason: null, failure: null, supersededBy: null } as const;

/** An open build that holds a slot. */
async function openedBuild() {
  const deploy = await useDeploy();
  const { parts, build } = deploy;
  await openBuild(parts, build);
  const { buildId, environment } = build;
  await parts.workflows.requestSlot({ buildId, workflowId: `build/${buildId}`, environment, limit: 1 });
  const finish = (input: Omit<FinishBuildInput, 'build'>) => finishBuild(parts, { build, ...input });
  const record = async () => {
    const found = await parts.builds.find(buildId);
    assert.ok(found !== null);
    return found;
  };
  const logged = async () => (await parts.log.read(buildId, 1, 10)).map(({ level, text }) => [level, text]);
  return { ...deploy, finish, record, logged };
}

describe('finish-build', () => {
  it('writes how the build ended, after the last line of its log, and tells the audit ledger', async () => {
    const { parts, build, finish, record, logged } = await openedBuild();
    parts.advance(5_000);
    await finish(COMPLETED);
    const { status, reason, finishedAt } = await record();
    assert.deepEqual({ status, reason, finishedAt }, { status: 'completed', reason: null, finishedAt: parts.now() });
    assert.deepEqual(await logged(), [['info', 'Completed: hello is live in prod']]);
    assert.deepEqual(
      parts.audit.told().map(({ eventType, orgSlug, data }) => [eventType, orgSlug, data.buildId]),
      [['service.deployed', 'acme', build.buildId]],
    );
  });

  it('a failed step is named, and what was still running has failed', async () => {
    const { parts, build, finish, record, logged } = await openedBuild();
    await parts.builds.markStep(build.buildId, stepOf('image-build'), { state: 'running' });
    await finish(FAILED);
    const { status, failure: stored, steps } = await record();
    assert.deepEqual([status, stored], ['failed', failure]);
    assert.equal(steps.find(({ key }) => key === 'image-build')?.state, 'failed');
    assert.deepEqual(await logged(), [['error', 'Failed [IMAGE_BUILD_FAILED]: npm ci failed']]);
  });

  it('a message of several lines is as many lines of the log', async () => {
    const { finish, logged } = await openedBuild();
    await finish({ ...FAILED, failure: { ...failure, message: 'Line 4 failed: RUN npm ci\nnpm error code 1' } });
    assert.deepEqual(await logged(), [
      ['error', 'Failed [IMAGE_BUILD_FAILED]: Line 4 failed: RUN npm ci'],
      ['error', 'npm error code 1'],
    ]);
  });

  it('a superseded build writes so in its log, and adds no event to the audit ledger', async () => {
    const { parts, finish, record, logged } = await openedBuild();
    const message = 'Superseded by bld_newer';
    const superseded = { code: 'BUILD_SUPERSEDED', message, step: null };
    await finish({ ...FAILED, reason: 'superseded', failure: superseded, supersededBy: 'bld_newer' });
    assert.deepEqual([(await record()).reason, (await record()).supersededBy], ['superseded', 'bld_newer']);
    assert.deepEqual(await logged(), [['error', message]]);
    assert.deepEqual(parts.audit.told(), []);
  });

  it('what could not be undone stands in the log and on the record', async () => {
    const { finish, record, logged } = await openedBuild();
    const undoFailures = ['Install workload could not be undone: disk full'];
    await finish({ ...FAILED, undoFailures });
    assert.deepEqual((await record()).warnings, undoFailures);
    assert.deepEqual((await logged())[0], ['error', undoFailures[0]]);
  });

  it('gives the slot back and starts the clean-up, once', async () => {
    const { parts, build, finish } = await openedBuild();
    assert.deepEqual(parts.workflows.holders(), [build.buildId]);
    for (const _ of ['first', 'second']) await finish(COMPLETED);
    assert.deepEqual(parts.workflows.holders(), []);
    assert.deepEqual(parts.workflows.cleanUps(), [build.buildId]);
  });

  it('a second attempt changes nothing, even when it would end otherwise', async () => {
    const { parts, finish, record, logged } = await openedBuild();
    await finish(FAILED);
    const [before, lines] = [await record(), await logged()];
    parts.advance(1_000);
    await finish(FAILED);
    await finish({ ...COMPLETED, undoFailures: ['late'] });
    assert.deepEqual(await record(), before);
    assert.deepEqual(await logged(), lines);
    assert.equal(parts.audit.told().filter(({ eventType }) => eventType === 'build.failed').length, 1);
  });

  it('an attempt that ended after the terminal write is made up for by the next', async () => {
    const { parts, build, record } = await openedBuild();
    const dying = {
      ...parts,
      workflows: { ...parts.workflows, releaseSlot: () => Promise.reject(new Error('killed')) },
    };
    await assert.rejects(finishBuild(dying, { build, ...COMPLETED }), /killed/);
    await finishBuild(parts, { build, ...COMPLETED });
    assert.equal((await record()).status, 'completed');
    assert.deepEqual([parts.workflows.holders(), parts.workflows.cleanUps()], [[], [build.buildId]]);
    assert.equal(parts.audit.told().length, 1);
  });

  it('a database that is away fails it, so that it is tried again', async () => {
    const { parts, build } = await openedBuild();
    const away = new FairleadError('UNAVAILABLE', 'The database cannot be reached', { retryable: true });
    const builds = { ...parts.builds, finish: () => Promise.reject(away) };
    await assert.rejects(finishBuild({ ...parts, builds }, { build, ...COMPLETED }), (error) => error === away);
    assert.deepEqual(
      parts.workflows.holders(),
      [build.buildId],
      'a build that is not recorded as ended keeps its slot',
    );
  });

  it('a build whose record is gone gives its slot back, and its source is cleaned up', async () => {
    const { parts, build } = await openedBuild();
    const gone = {
      ...parts.builds,
      find: async () => null,
      finish: () => Promise.reject(new Error('nothing to finish')),
    };
    await finishBuild({ ...parts, builds: gone }, { build, ...FAILED });
    assert.deepEqual([parts.workflows.holders(), parts.workflows.cleanUps()], [[], [build.buildId]]);
  });
});
