import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import test from 'node:test';
import { POD_TIERS } from '../../domain/catalog/pod-tiers.ts';
import { buildWorkflowId } from '../../domain/deploys/messages.ts';
import { waitUntil } from '../support/wait-until.ts';
import { completed, ended, trigger, visit } from './harness.ts';
import { killPart } from './kill-part.ts';
import { containersOf, docker, sampleService, temporalClient } from './sample-service.ts';

const NANO = POD_TIERS.nano.cpuLimitMillis * 1e6;
const STARTUP = Math.min(1, availableParallelism()) * 1e9;

/** The CPU limit of the one container of a build, in 1e-9 CPUs; null while there is none that runs. */
async function nanoCpusOf(buildId: string): Promise<number | null> {
  const [container] = await containersOf(buildId);
  if (container?.State !== 'running') return null;
  return (await docker.getContainer(container.Id).inspect()).HostConfig.NanoCpus ?? null;
}

async function reconcile(): Promise<void> {
  await using temporal = await temporalClient();
  await temporal.client.schedule.getHandle('reconcile-deploys').trigger();
}

test('a workload has one CPU until it is ready and never takes traffic with more than its tier', async () => {
  await using app = await sampleService('boost', { startupMs: 1_500 });
  const { buildId } = await trigger(app.name);
  await waitUntil('the start with one CPU', async () => (await nanoCpusOf(buildId)) === STARTUP);
  await waitUntil('the first answer', async () => (await visit(app.name)).status === 200);
  assert.equal(await nanoCpusOf(buildId), NANO);
  await completed(buildId);
  assert.equal(await nanoCpusOf(buildId), NANO);
});

test('a worker killed before its workload is ready leaves it with the CPU of its tier in the end', async () => {
  await using app = await sampleService('boost-kill', { startupMs: 3_000 });
  const { buildId } = await trigger(app.name);
  await waitUntil('the start with one CPU', async () => (await nanoCpusOf(buildId)) === STARTUP);
  await killPart('worker');
  await completed(buildId);
  assert.equal(await nanoCpusOf(buildId), NANO);
});

test('a workload that serves with more CPU than its tier is held to it again', async () => {
  await using app = await sampleService('boost-left');
  const { buildId } = await trigger(app.name);
  await completed(buildId);
  const [container] = await containersOf(buildId);
  await docker.getContainer(container?.Id ?? '').update({ NanoCpus: STARTUP });
  await reconcile();
  await waitUntil('the CPU of the tier', async () => (await nanoCpusOf(buildId)) === NANO);
  assert.equal((await visit(app.name)).status, 200);
});

test('a workload whose build was terminated while it started is held to its tier all the same', async () => {
  await using app = await sampleService('boost-lost', { startupMs: 600_000 });
  const { buildId } = await trigger(app.name);
  await waitUntil('the start with one CPU', async () => (await nanoCpusOf(buildId)) === STARTUP);
  await using temporal = await temporalClient();
  await temporal.client.workflow.getHandle(buildWorkflowId(buildId)).terminate('by an operator');
  assert.equal((await ended(buildId, 20_000)).reason, 'abandoned');
  await reconcile();
  await waitUntil('the CPU of the tier', async () => (await nanoCpusOf(buildId)) === NANO, { withinMs: 20_000 });
});
