import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { WorkflowFailedError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createIdentityActivities } from '../../../activities/identity/index.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { IDENTITY_WORKFLOWS, type KeyRotationOutcome, type KeyRotator } from '../../../domain/identity/messages.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { identitySchedules } from '../../../workflows/identity/schedules.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

const NOTHING: KeyRotationOutcome = { activated: null, retired: null, removed: [], created: [] };

describe('rotateSigningKeys', { timeout: 300_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let rotateDue: KeyRotator['rotateDue'] = async () => NOTHING;
  let runs = 0;
  before(async () => {
    env = await startTimeSkipping();
    worker = await startModuleWorker(env.nativeConnection, {
      module: 'identity',
      activities: createIdentityActivities({ keys: { rotateDue: (signal) => rotateDue(signal) } }),
    });
  });
  after(async () => {
    await worker.stop();
    await env.teardown();
  });

  const run = (): Promise<KeyRotationOutcome> => {
    runs += 1;
    return env.client.workflow.execute(IDENTITY_WORKFLOWS.rotateSigningKeys, {
      taskQueue: TASK_QUEUE,
      workflowId: `rotate-signing-keys-${runs}`,
    });
  };

  /** How long the last run took, by the server's clock. */
  const tookMs = async (): Promise<number> => {
    const handle = env.client.workflow.getHandle(`rotate-signing-keys-${runs}`);
    const { startTime, closeTime } = await handle.describe();
    assert.ok(closeTime);
    return closeTime.getTime() - startTime.getTime();
  };

  it('answers what the provider did', async () => {
    const done = { activated: 'key_2', retired: 'key_1', removed: [], created: ['key_3'] };
    rotateDue = async () => done;
    assert.deepEqual(await run(), done);
  });

  it('waits for a provider that is away, within its hour', async () => {
    let calls = 0;
    rotateDue = async () => {
      calls += 1;
      if (calls < 10) throw new FairleadError('UNAVAILABLE', 'the provider is away', { retryable: true });
      return NOTHING;
    };
    await run();
    assert.equal(calls, 10);
    assert.ok((await tookMs()) < 3_600_000);
  });

  it('gives up before the next run is due', async () => {
    rotateDue = async () => {
      throw new FairleadError('UNAVAILABLE', 'the provider is away', { retryable: true });
    };
    await assert.rejects(run(), WorkflowFailedError);
    assert.ok((await tookMs()) < 3_600_000);
  });

  it('does not try again what cannot succeed', async () => {
    let calls = 0;
    rotateDue = async () => {
      calls += 1;
      throw new FairleadError('FORBIDDEN', 'not the platform');
    };
    await assert.rejects(run(), WorkflowFailedError);
    assert.equal(calls, 1);
  });

  it('is scheduled every hour, one run at a time', () => {
    const schedule = identitySchedules.find(
      ({ workflowType }) => workflowType === IDENTITY_WORKFLOWS.rotateSigningKeys,
    );
    assert.deepEqual([schedule?.cron, schedule?.overlap], ['17 * * * *', 'SKIP']);
  });
});
