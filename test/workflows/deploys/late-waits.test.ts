import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApplicationFailure, CompleteAsyncError, Context } from '@temporalio/activity';
import { Worker } from '@temporalio/worker';
import type { PlannedStep } from '../../../domain/deploys/build.ts';
import { buildWorkflowId, coordinatorWorkflowId } from '../../../domain/deploys/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildRequest } from '../../ports/records.ts';
import { ended } from '../../replay/ended.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { testWorkflowBundle } from '../../support/workflow-bundle.ts';
import { type Activities, CATALOG, createFakeActivities, createTemporal, planOf } from './harness.ts';

const BLOCKED = { code: 'SCOPE_GRANT_BLOCKED', message: 'grant sgr_1 is pending', step: 'scope-grants' } as const;

/** What ends a build comes in the moment in which it begins to wait. */
describe('a build that begins to wait when its end was asked for', { timeout: 300_000 }, () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  before(async () => {
    temporal = await createTemporal();
  });
  after(() => temporal.stop());

  const open: Activities['readGrantDecisions'] = async () => ({ state: 'open', failure: BLOCKED });

  it('and that nothing replaces any more: a newer build does not wait behind it', async () => {
    const first = buildRequest({ waitForGrantsSeconds: 3_600 });
    const [second, third] = ['b', 'c'].map((digit) => {
      const source = { kind: 'git', url: 'https://git.example/hello.git', branch: null } as const;
      return buildRequest({ service: first.service, source: { ...source, commit: digit.repeat(40) } });
    });
    assert.ok(second !== undefined && third !== undefined);
    // The plan of another version, in which what was built is installed in any case.
    const lasting = ({ run, ...step }: PlannedStep): PlannedStep => {
      return { ...step, run: run === null ? null : { ...run, supersedable: step.key !== 'image-build' } };
    };
    const [granting, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asks = 0;
    let ends = 0;
    const { activities: fake, journal } = createFakeActivities(temporal.directory);
    await temporal.withActivities(
      {
        ...fake,
        readGrantDecisions: open,
        createScopeGrants: async ({ build }) => {
          if (build.buildId !== first.buildId) return { facts: {} };
          asks += 1;
          await granting.promise;
          throw new FairleadError(BLOCKED.code, BLOCKED.message);
        },
        readCatalog: async (input) => {
          const { facts, plan = [] } = await fake.readCatalog(input);
          return { facts, plan: plan.map(lasting) };
        },
        finishBuild: async (input) => {
          if (input.build.buildId === second.buildId) {
            ends += 1;
            await ending.promise;
          }
          return await fake.finishBuild(input);
        },
      },
      async () => {
        await temporal.commands.request(first);
        await waitUntil('it to ask for its scopes', () => asks === 1);
        await temporal.commands.request(second);
        const outcome = temporal.commands.request(third);
        await waitUntil('the end of the second to be written', () => ends === 1);
        granting.resolve();
        await waitUntil('the first to wait', () => journal.includes(`${first.buildId} paused scope-grants`));
        const run = temporal.client.workflow.getHandle(buildWorkflowId(first.buildId));
        await waitUntil('its workflow to end', async () => (await run.describe()).status.name === 'COMPLETED');
        ending.resolve();
        await outcome;
        // No time is skipped here: it waits for no look at the grants.
        await waitUntil('the third to complete', () => journal.includes(`${third.buildId} completed`));
        assert.ok(journal.includes(`${first.buildId} failed superseded`));
        assert.ok(journal.includes(`${second.buildId} failed superseded`));
        await ended(temporal, coordinatorWorkflowId(first.service, first.environment));
      },
    );
  });

  it('and is cancelled: it ends, although it has given its slot back', async () => {
    const request = buildRequest({ waitForGrantsSeconds: 3_600 });
    const taskQueue = 'late-waits';
    const { activities, journal } = createFakeActivities(temporal.directory);
    let token: Uint8Array | null = null;
    Object.assign(activities, {
      // As the interceptor writes it, which this worker has not: it would fail what is completed from elsewhere.
      createScopeGrants: () => Promise.reject(ApplicationFailure.nonRetryable(BLOCKED.message, BLOCKED.code)),
      readGrantDecisions: open,
      pauseBuild: async () => {
        token = Context.current().info.taskToken;
        throw new CompleteAsyncError();
      },
    });
    const work = async () => {
      const worker = await Worker.create({
        ...{ connection: temporal.env.nativeConnection, taskQueue, workflowBundle: await testWorkflowBundle() },
        activities,
        // What a worker was about to do is done by the next one.
        maxCachedWorkflows: 0,
      });
      const running = worker.run();
      return async () => {
        worker.shutdown();
        await running;
      };
    };
    const stop = await work();
    const handle = await temporal.client.workflow.start('runBuild', {
      ...{ workflowId: buildWorkflowId(request.buildId), taskQueue },
      args: [request, planOf(request, CATALOG)],
    });
    const paused = await waitUntil('it to give its slot back', () => token);
    await stop();
    // No worker sees that it waits before it sees that it is cancelled.
    await temporal.client.activity.complete(paused, { attempts: 1 });
    await handle.cancel();
    const stopNext = await work();
    await waitUntil('its end', () => journal.some((entry) => entry.startsWith(`${request.buildId} failed`)));
    assert.ok(journal.includes(`${request.buildId} failed cancelled`));
    await stopNext();
  });
});
