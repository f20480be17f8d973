import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import { createSearchPullCommands } from '../../adapters/temporal/search-pull-commands.ts';
import { CHAIN_WORKFLOWS } from '../../domain/audit-ledger/chain-messages.ts';
import { moduleTaskQueue, TASK_QUEUE } from '../../domain/task-queue.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { workflowBundle } from '../../infra/dev/workflow-bundle.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';
import { startTemporal, type TestTemporal } from '../support/start-temporal.ts';
import { startWorker, type WorkerProcess } from '../support/start-worker.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Of the queues of one name, in Temporal's API. */
const ACTIVITIES = 2;
const LEDGER = { AUDIT_URL: 'http://audit.example.org', AUDIT_SIGNING_KEY: '05'.repeat(32) };

describe('a worker without the settings of a module', { timeout: 300_000 }, () => {
  let mongo: TestMongo;
  let temporal: TestTemporal;
  const workers: WorkerProcess[] = [];
  before(async () => {
    [mongo, temporal] = await Promise.all([startMongo(), startTemporal()]);
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker.kill('SIGKILL')));
    await Promise.all([temporal.stop(), mongo.stop()]);
  });

  async function start(more: Readonly<Record<string, string>>): Promise<WorkerProcess> {
    const worker = await startWorker({
      MONGODB_URI: mongo.uri,
      TEMPORAL_ADDRESS: temporal.address,
      WORKFLOW_BUNDLE: await workflowBundle(process.env, silentReporter),
      LOG_LEVEL: 'silent',
      ...more,
    });
    workers.push(worker);
    return worker;
  }

  /** What has happened to a workflow's activities. */
  async function activityEvents(handle: WorkflowHandle): Promise<readonly string[]> {
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap((event) => {
      if (event.activityTaskScheduledEventAttributes) return 'scheduled';
      if (event.activityTaskStartedEventAttributes) return 'started';
      if (event.activityTaskFailedEventAttributes) return 'failed';
      return event.activityTaskCompletedEventAttributes ? 'completed' : [];
    });
  }

  it('goes on with the ledger’s workflows and takes none of its activities, which wait for a worker that has them', async () => {
    await start({});
    const { client } = temporal;
    const handle = await client.workflow.start(CHAIN_WORKFLOWS.writeCheckpoints, {
      taskQueue: TASK_QUEUE,
      workflowId: 'checkpoints-of-a-test',
    });
    await waitUntil('an activity is scheduled', async () => (await activityEvents(handle)).includes('scheduled'));
    // A worker that polled its queue would have begun by the time that it takes what was asked for later.
    const upkeep = await client.workflow.start('reconcileDeploys', {
      taskQueue: TASK_QUEUE,
      workflowId: 'upkeep-of-a-test',
    });
    await waitUntil('it takes its own activities', async () => (await activityEvents(upkeep)).length > 0);
    const { pendingActivities } = (await handle.describe()).raw;
    assert.deepEqual(
      pendingActivities?.map(({ attempt, lastStartedTime }) => [attempt, lastStartedTime ?? null]),
      [[1, null]],
    );
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace: 'default',
      taskQueue: { name: moduleTaskQueue('audit-ledger') },
      taskQueueType: ACTIVITIES,
    });
    assert.deepEqual(pollers ?? [], []);

    await start(LEDGER);
    assert.deepEqual(await handle.result(), { namespaces: 0 });
    assert.deepEqual(await activityEvents(handle), ['scheduled', 'started', 'completed']);
  });

  it('keeps no schedule of the ledger, and leaves those that another worker keeps', async () => {
    const { schedule } = temporal.client;
    const kept = await schedule.getHandle('anchor-night').describe();
    const [first] = workers;
    assert.ok(first);
    assert.equal(await first.kill('SIGTERM'), 0);
    await start({});
    const { info, action } = await schedule.getHandle('anchor-night').describe();
    assert.deepEqual([info.createdAt, action], [kept.info.createdAt, kept.action]);
  });

  it('leaves pulls of search numbers to a worker that has the account of the search engine; that none has is known', async () => {
    const { isServed } = createSearchPullCommands(temporal.client);
    assert.equal(await isServed(), false);
    await start({ GOOGLE_APPLICATION_CREDENTIALS: '/read/when/it/is/used.json' });
    await waitUntil('it waits for pulls', isServed);
  });
});
