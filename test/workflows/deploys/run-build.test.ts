import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Context } from '@temporalio/activity';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import { type BuildOutcome, buildWorkflowId } from '../../../domain/deploys/messages.ts';
import { ACTING_STEPS, type StepActivity, type StepKey } from '../../../domain/deploys/steps.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { buildRequest } from '../../ports/records.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Activities, CATALOG, createFakeActivities, createTemporal, planOf } from './harness.ts';

const LIVE_STEPS = ACTING_STEPS.map(({ key, run }) => ({
  key: key as StepKey,
  activity: run.activity,
  cancellable: run.cancellable,
  /** The system whatever failure of which ends no build; absent where there is none. */
  openTo: run.failOpen.find(({ codes }) => codes === 'any')?.system,
}));
/** Steps whose failure takes the installation back: from the install to the registration of the release. */
const UNDONE = LIVE_STEPS.slice(
  LIVE_STEPS.findIndex(({ key }) => key === 'install'),
  LIVE_STEPS.findIndex(({ key }) => key === 'service-registration') + 1,
).map(({ key }) => key);
const BEFORE_INSTALL = LIVE_STEPS.slice(
  0,
  LIVE_STEPS.findIndex(({ key }) => key === 'install'),
);
/** What every deploy does, in order; a new step adds to it. */
const EVERY_DEPLOY: readonly string[] = [
  ...['fetchSource', 'readCatalog', 'prepareContainerFile', 'preflightConfig', 'buildImage', 'pushImage'],
  ...['provisionOAuthClient', 'installWorkload', 'checkHealth', 'registerRelease', 'completed'],
];
const knownOf = (journal: readonly string[]) =>
  journal.map((entry) => entry.split(' ')[1] ?? '').filter((name) => EVERY_DEPLOY.includes(name));

describe('runBuild', () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  before(async () => {
    temporal = await createTemporal();
  });
  after(() => temporal.stop());

  const start = (request: BuildRequest) =>
    temporal.client.workflow.start('runBuild', {
      workflowId: buildWorkflowId(request.buildId),
      taskQueue: TASK_QUEUE,
      args: [request, planOf(request)],
      // A local activity learns of a cancellation at 80 % of this.
      workflowTaskTimeout: '1s',
    });
  const fakes = (overrides: Partial<Activities> = {}) => createFakeActivities(temporal.directory, overrides);

  /** An activity that hangs until it is cancelled, and tells when it has begun. */
  function hanging() {
    const state = { begun: false };
    const activity = async () => {
      state.begun = true;
      const context = Context.current();
      const timer = setInterval(() => context.heartbeat(), 50);
      try {
        return await context.cancelled;
      } finally {
        clearInterval(timer);
      }
    };
    return { state, activity };
  }

  it('runs every live step in the order of the plan and completes', async () => {
    const { activities, journal, finished } = fakes();
    const request = buildRequest();
    const outcome = await temporal.withActivities(
      activities,
      async () => (await start(request)).result() as Promise<BuildOutcome>,
    );
    assert.deepEqual(outcome, { buildId: request.buildId, status: 'completed', reason: null, failure: null });
    const expected = LIVE_STEPS.map(({ activity }) => `${request.buildId} ${activity}`);
    assert.deepEqual(journal, [...expected, `${request.buildId} completed`]);
    assert.equal(finished.length, 1);
  });

  for (const { key, activity } of LIVE_STEPS.filter((step) => step.openTo === undefined)) {
    it(`a hard failure of ${key} ends the build as failed with that step's code and message`, async () => {
      const { activities, journal, finished } = fakes({
        [activity]: async () => {
          throw new FairleadError('CATALOG_INVALID', `${key} says no`, { details: { line: 3 } });
        },
      });
      const request = buildRequest();
      const outcome = await temporal.withActivities(
        activities,
        async () => (await start(request)).result() as Promise<BuildOutcome>,
      );
      assert.equal(outcome.status, 'failed');
      assert.equal(outcome.reason, 'step_failed');
      assert.deepEqual(outcome.failure, {
        code: 'CATALOG_INVALID',
        message: `${key} says no`,
        step: key,
        details: { line: 3 },
      });
      assert.deepEqual(
        finished.map(({ status }) => status),
        ['failed'],
      );
      const restored = journal.includes(`${request.buildId} restorePrevious`);
      assert.equal(restored, UNDONE.includes(key), 'returns to the previous release until the new one is registered');
    });
  }

  for (const { key, activity, openTo: system } of LIVE_STEPS) {
    if (system === undefined) continue;
    it(`a failure of ${key} is a warning, and the build goes on to its end`, async () => {
      const { activities, journal } = fakes({
        [activity]: async () => {
          throw new FairleadError('UNAVAILABLE', 'It cannot be reached.', { system });
        },
      });
      const request = buildRequest();
      const outcome = await temporal.withActivities(
        activities,
        async () => (await start(request)).result() as Promise<BuildOutcome>,
      );
      assert.equal(outcome.status, 'completed');
      assert.ok(journal.includes(`${request.buildId} warned ${key} UNAVAILABLE`), journal.join());
      assert.ok(!journal.includes(`${request.buildId} restorePrevious`));
    });
  }

  for (const { key, activity } of LIVE_STEPS.filter((step) => step.cancellable)) {
    it(`a cancellation during ${key} ends the activity and the build as cancelled`, async () => {
      const { state, activity: hang } = hanging();
      const { activities, journal, finished } = fakes({ [activity]: hang });
      const request = buildRequest();
      await temporal.withActivities(activities, async () => {
        const handle = await start(request);
        await waitUntil('the step to begin', () => state.begun);
        await handle.cancel();
        const outcome = (await handle.result()) as BuildOutcome;
        assert.equal(outcome.reason, 'cancelled');
        assert.equal(outcome.failure?.code, 'BUILD_CANCELLED');
        assert.equal(outcome.failure?.step, key);
      });
      assert.equal(finished[0]?.reason, 'cancelled');
      assert.equal(journal.includes(`${request.buildId} restorePrevious`), UNDONE.includes(key));
    });
  }

  it('a cancellation while the answering release is registered lets the registration end and the build complete', async () => {
    let release = () => {};
    let begun = false;
    const { activities } = fakes({
      registerRelease: () =>
        new Promise((resolve) => {
          begun = true;
          release = () => resolve({ facts: {} });
        }),
    });
    const request = buildRequest();
    await temporal.withActivities(activities, async () => {
      const handle = await start(request);
      await waitUntil('the step to begin', () => begun);
      await handle.cancel();
      release();
      assert.equal(((await handle.result()) as BuildOutcome).status, 'completed');
    });
  });

  for (const { key, activity } of BEFORE_INSTALL) {
    it(`a newer build supersedes this one during ${key}`, async () => {
      const { state, activity: hang } = hanging();
      const { activities, finished } = fakes({ [activity]: hang });
      await temporal.withActivities(activities, async () => {
        const handle = await start(buildRequest());
        await waitUntil('the step to begin', () => state.begun);
        await handle.signal('buildSuperseded', { by: 'bld_newer' });
        const outcome = (await handle.result()) as BuildOutcome;
        assert.equal(outcome.reason, 'superseded');
        assert.equal(outcome.failure?.message, 'Superseded by bld_newer, which builds something newer.');
      });
      assert.equal(finished[0]?.supersededBy, 'bld_newer');
    });
  }

  it('a build that has begun to install is not superseded', async () => {
    let release = () => {};
    let begun = false;
    const { activities, journal } = fakes({
      installWorkload: () =>
        new Promise((resolve) => {
          begun = true;
          release = () => resolve({ facts: { releaseId: 'rel_1' } });
        }),
    });
    await temporal.withActivities(activities, async () => {
      const handle = await start(buildRequest());
      await waitUntil('the step to begin', () => begun);
      await handle.signal('buildSuperseded', { by: 'bld_newer' });
      release();
      assert.equal(((await handle.result()) as BuildOutcome).status, 'completed');
    });
    assert.ok(!journal.some((entry) => entry.endsWith('restorePrevious')));
  });

  it('a step that always fails for a passing reason is retried until its deadline, then fails', async () => {
    let attempts = 0;
    const { activities } = fakes({
      pushImage: async () => {
        attempts += 1;
        throw new FairleadError('IMAGE_PUSH_FAILED', 'the registry is down', { retryable: true });
      },
    });
    const started = await temporal.env.currentTimeMs();
    const outcome = await temporal.withActivities(
      activities,
      async () => (await start(buildRequest())).result() as Promise<BuildOutcome>,
    );
    const elapsedSeconds = ((await temporal.env.currentTimeMs()) - started) / 1000;
    assert.equal(outcome.failure?.code, 'IMAGE_PUSH_FAILED');
    assert.equal(outcome.failure?.step, 'image-push');
    assert.ok(attempts > 10, `${attempts} attempts`);
    assert.ok(elapsedSeconds > 1_500 && elapsedSeconds <= 1_830, `gave up after ${elapsedSeconds} s`);
  });

  it('a passing fault of the terminal write is retried until the record is written', async () => {
    let attempts = 0;
    const { activities } = fakes({
      finishBuild: async () => {
        attempts += 1;
        if (attempts < 5) throw new FairleadError('UNAVAILABLE', 'no database', { retryable: true });
      },
    });
    const outcome = await temporal.withActivities(
      activities,
      async () => (await start(buildRequest())).result() as Promise<BuildOutcome>,
    );
    assert.equal(outcome.status, 'completed');
    assert.equal(attempts, 5);
  });

  it('a build that waits for the answer about its slot keeps no workflow task waiting', async () => {
    const asked: boolean[] = [];
    const { activities } = fakes({
      requestSlot: async () => {
        asked.push(Context.current().info.isLocal);
        return true;
      },
    });
    const outcome = await temporal.withActivities(
      activities,
      async () => (await start(buildRequest())).result() as Promise<BuildOutcome>,
    );
    assert.equal(outcome.status, 'completed');
    assert.deepEqual(asked, [false]);
  });

  it('a rollback runs only the installation and what follows, without a build slot', async () => {
    let slots = 0;
    const { activities, journal } = fakes({
      requestSlot: async () => {
        slots += 1;
        return true;
      },
    });
    const request = buildRequest({ kind: 'rollback', releaseId: 'rel_old' });
    await temporal.withActivities(activities, async () => (await start(request)).result());
    assert.deepEqual(knownOf(journal), ['installWorkload', 'checkHealth', 'registerRelease', 'completed']);
    assert.equal(slots, 0);
  });

  const resumed: readonly [StepKey, readonly (StepActivity | 'completed')[]][] = [
    // Others may have given or taken scopes meanwhile: the client is asked for anew, and keeps its secret. So with variables.
    [
      'install',
      ['preflightConfig', 'provisionOAuthClient', 'installWorkload', 'checkHealth', 'registerRelease', 'completed'],
    ],
    ['health-check', ['installWorkload', 'checkHealth', 'registerRelease', 'completed']],
    ['service-registration', ['installWorkload', 'checkHealth', 'registerRelease', 'completed']],
    [
      'image-push',
      [
        'fetchSource',
        'readCatalog',
        'prepareContainerFile',
        'preflightConfig',
        'buildImage',
        'pushImage',
        'provisionOAuthClient',
        'installWorkload',
        'checkHealth',
        'registerRelease',
        'completed',
      ],
    ],
  ];
  for (const [fromStep, expected] of resumed) {
    it(`a retry from ${fromStep} reuses what the earlier build made`, async () => {
      const { activities, journal } = fakes();
      const request = buildRequest({
        kind: 'retry',
        resume: {
          buildId: 'bld_old',
          fromStep,
          facts: { catalog: CATALOG, commitSha: 'b'.repeat(40), imageDigest: 'x@sha256:1' },
        },
      });
      await temporal.withActivities(activities, async () => (await start(request)).result());
      assert.deepEqual(knownOf(journal), expected);
    });
  }
});
