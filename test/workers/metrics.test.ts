import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createServiceStore } from '../../adapters/mongo/catalog/services.ts';
import { createDeployCommands } from '../../adapters/temporal/deploy-commands.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { workflowBundle } from '../../infra/dev/workflow-bundle.ts';
import { buildRequest } from '../ports/records.ts';
import { freePort } from '../support/free-port.ts';
import { parseExposition, samplesOf, sampleValue } from '../support/parse-exposition.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';
import { startTemporal, type TestTemporal } from '../support/start-temporal.ts';
import { startWorker, type WorkerProcess } from '../support/start-worker.ts';
import { waitUntil } from '../support/wait-until.ts';

const TOKEN = randomBytes(32).toString('base64url');

describe('the metrics of a worker', { timeout: 300_000 }, () => {
  let mongo: TestMongo;
  let temporal: TestTemporal;
  let worker: WorkerProcess;
  let address: string;
  before(async () => {
    [mongo, temporal] = await Promise.all([startMongo(), startTemporal()]);
    const port = await freePort();
    address = `http://127.0.0.1:${port}/metrics`;
    worker = await startWorker({
      MONGODB_URI: mongo.uri,
      TEMPORAL_ADDRESS: temporal.address,
      WORKFLOW_BUNDLE: await workflowBundle(process.env, silentReporter),
      ...{ LOG_LEVEL: 'silent', BUILD_CONCURRENCY: '2' },
      ...{ WORKER_METRICS_PORT: String(port), METRICS_TOKEN: TOKEN },
    });
  });
  after(async () => {
    await worker?.kill('SIGKILL');
    await Promise.all([temporal?.stop(), mongo?.stop()]);
  });

  async function scrape() {
    const response = await fetch(address, { headers: { authorization: `Bearer ${TOKEN}` } });
    assert.equal(response.status, 200);
    return parseExposition(await response.text());
  }

  it('are told to nobody without the token', async () => {
    assert.equal((await fetch(address)).status, 401);
    assert.equal((await fetch(address, { headers: { authorization: `Bearer ${TOKEN}0` } })).status, 401);
  });

  it('tell of builds how many run and wait, how they ended, and of Temporal places, workflows and activities', async () => {
    const now = () => new Date();
    const { db } = mongo.connection;
    await createServiceStore({ db, now }).upsert({ id: 'svc_1', name: 'hello', org: 'acme' }, {});
    const commands = createDeployCommands(temporal.client);
    // Without a container engine the first step is tried again and again.
    const source = { kind: 'archive', archiveId: 'arc_none', sha256: '0'.repeat(64) } as const;
    const requests = Array.from({ length: 3 }, (_, index) =>
      buildRequest({ buildId: `bld_${index}`, service: `hello-${index}`, org: 'acme', source }),
    );
    for (const request of requests) await commands.request(request);
    const open = (told: Awaited<ReturnType<typeof scrape>>) =>
      Object.fromEntries(samplesOf(told, 'fairlead_builds_open').map(({ labels, value }) => [labels.state, value]));
    await waitUntil('two run and one waits for a slot', async () =>
      isDeepStrictEqual(open(await scrape()), { queued: 1, running: 2, waiting: 0 }),
    );
    await Promise.all(requests.map((request) => commands.cancel(request)));
    const families = await waitUntil('all have ended', async () => {
      const told = await scrape();
      const workflows = samplesOf(told, 'temporal_workflow_completed_total');
      const ended = workflows.find(({ labels }) => labels.workflow_type === 'runBuild')?.value ?? 0;
      return ended >= 3 && isDeepStrictEqual(open(told), { queued: 0, running: 0, waiting: 0 }) ? told : null;
    });
    assert.equal(sampleValue(families, 'fairlead_metrics_reading_up', { reading: 'builds' }), 1);
    assert.equal(sampleValue(families, 'fairlead_builds_ended_total', { status: 'failed', reason: 'cancelled' }), 3);
    const steps = samplesOf(families, 'fairlead_build_step_duration_seconds_count');
    assert.deepEqual(
      steps.map(({ labels }) => [labels.step, labels.outcome]),
      [['source', 'failed']],
    );

    assert.equal(sampleValue(families, 'temporal_workflow_completed_total', { workflow_type: 'runBuild' }), 3);
    const finishes = { activity_type: 'finishBuild' };
    assert.equal(sampleValue(families, 'temporal_activity_execution_latency_seconds_count', finishes), 3);
    const places = { task_queue: TASK_QUEUE, worker_type: 'ActivityWorker' };
    const free = sampleValue(families, 'temporal_worker_task_slots_available', places);
    const used = sampleValue(families, 'temporal_worker_task_slots_used', places);
    assert.ok(free > 0 && used >= 0, `${free} free, ${used} used`);
    assert.ok(sampleValue(families, 'fairlead_mongodb_pool_connections', { database: 'builder' }) >= 1);
  });

  it('name no build, service or org, nor anything else that tenants choose', async () => {
    const families = await scrape();
    const labels = [...families.values()].flatMap(({ samples }) => samples.flatMap((one) => Object.values(one.labels)));
    assert.deepEqual(
      labels.filter((value) => /bld_|hello|acme|svc_|arc_/.test(value)),
      [],
    );
  });
});
