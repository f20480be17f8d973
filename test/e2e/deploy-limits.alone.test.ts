import assert from 'node:assert/strict';
import test from 'node:test';
import { buildWorkflowId } from '../../domain/deploys/messages.ts';
import { waitUntil } from '../support/wait-until.ts';
import { completed, ended, trigger, visit } from './harness.ts';
import { containersOf, docker, NANO_CPUS, nanoCpusOf, sampleService, temporalClient } from './sample-service.ts';

async function reconcile(): Promise<void> {
  await using temporal = await temporalClient();
  await temporal.client.schedule.getHandle('reconcile-deploys').trigger();
}

test('a workload has one CPU until it is ready and never takes traffic with more than its tier', async () => {
  await using app = await sampleService('boost', { startupMs: 1_500 });
  const { buildId } = await trigger(app.name);
  await waitUntil('the start with one CPU', async () => (await nanoCpusOf(buildId)) === NANO_CPUS.startup);
  await waitUntil('the first answer', async () => (await visit(app.name)).status === 200);
  assert.equal(await nanoCpusOf(buildId), NANO_CPUS.nano);
  await completed(buildId);
  assert.equal(await nanoCpusOf(buildId), NANO_CPUS.nano);
});

test('a workload that serves with more CPU than its tier is limited to its tier again', async () => {
  await using app = await sampleService('boost-left');
  const { buildId } = await trigger(app.name);
  await completed(buildId);
  const [container] = await containersOf(buildId);
  await docker.getContainer(container?.Id ?? '').update({ NanoCpus: NANO_CPUS.startup });
  await reconcile();
  await waitUntil('the CPU of the tier', async () => (await nanoCpusOf(buildId)) === NANO_CPUS.nano);
  assert.equal((await visit(app.name)).status, 200);
});

test('a workload whose build was terminated while it started is limited to the CPU of its tier', async () => {
  await using app = await sampleService('boost-lost', { startupMs: 600_000 });
  const { buildId } = await trigger(app.name);
  await waitUntil('the start with one CPU', async () => (await nanoCpusOf(buildId)) === NANO_CPUS.startup);
  await using temporal = await temporalClient();
  await temporal.client.workflow.getHandle(buildWorkflowId(buildId)).terminate('by an operator');
  assert.equal((await ended(buildId, 20_000)).reason, 'abandoned');
  await reconcile();
  await waitUntil('the CPU of the tier', async () => (await nanoCpusOf(buildId)) === NANO_CPUS.nano, {
    withinMs: 20_000,
  });
});
