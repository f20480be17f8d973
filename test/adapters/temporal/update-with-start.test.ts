import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { updateWithStart } from '../../../adapters/temporal/update-with-start.ts';

const ENTITY = {
  start: ['entity', { workflowId: 'entity/1', taskQueue: 'any', workflowIdConflictPolicy: 'USE_EXISTING' }] as never,
  update: 'ask',
  updateId: 'ask-1',
  arg: 1,
};

const failed = (type: string) =>
  new WorkflowUpdateFailedError('Workflow Update failed', ApplicationFailure.create({ type, nonRetryable: true }));

/** A client whose updates end so, one after the other; the last outcome stays. */
function clientOf(...outcomes: readonly (Error | string)[]) {
  let calls = 0;
  const executeUpdateWithStart = async (): Promise<string> => {
    const outcome = outcomes[Math.min(calls, outcomes.length - 1)] ?? '';
    calls += 1;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  return { client: { workflow: { executeUpdateWithStart } } as unknown as Client, calls: () => calls };
}

it('an update that the server says has not happened is sent again', async () => {
  for (const type of ['UnprocessedUpdate', 'AcceptedUpdateCompletedWorkflow']) {
    const { client, calls } = clientOf(failed(type), failed(type), 'done');
    assert.equal(await updateWithStart(client, ENTITY), 'done', type);
    assert.equal(calls(), 3);
  }
});

it('gives up after a few attempts, and at once where the workflow itself refused', async () => {
  const rejected = clientOf(failed('UnprocessedUpdate'));
  await assert.rejects(updateWithStart(rejected.client, ENTITY), WorkflowUpdateFailedError);
  assert.equal(rejected.calls(), 4);
  const refused = clientOf(failed('SERVICE_BUSY'), 'never');
  await assert.rejects(updateWithStart(refused.client, ENTITY), WorkflowUpdateFailedError);
  assert.equal(refused.calls(), 1);
});
