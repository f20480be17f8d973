import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Context } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { LOGS_WORKFLOWS } from '../../../domain/logs/messages.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

describe('collectOutput', { timeout: 120_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let attempts = 0;
  before(async () => {
    env = await startTimeSkipping();
    const collectOutput = async (): Promise<void> => {
      attempts += 1;
      // The first is one of a worker that was killed: nothing is heard of it.
      if (attempts === 1) await Context.current().cancelled.catch(() => undefined);
    };
    worker = await startModuleWorker(env.nativeConnection, { module: 'logs', activities: { collectOutput } });
  });
  after(async () => {
    await worker.stop();
    await env.teardown();
  });

  it('goes on elsewhere when nothing is heard of the worker that collected', async () => {
    await env.client.workflow.execute(LOGS_WORKFLOWS.collectOutput, {
      taskQueue: TASK_QUEUE,
      workflowId: 'collect-output',
    });
    assert.equal(attempts, 2);
  });
});
