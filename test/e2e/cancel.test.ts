import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import test from 'node:test';
import { promisify } from 'node:util';
import { buildWorkflowId } from '../../domain/deploys/messages.ts';
import { waitUntil } from '../support/wait-until.ts';
import { api, type Build, completed, ended, getBuild, logText, trigger, visit } from './harness.ts';
import { containersOf, sampleService, stateOf, temporalClient } from './sample-service.ts';

const run = promisify(execFile);

/** True while a process with exactly these words runs anywhere on the machine, in containers as well. */
async function isRunning(command: string): Promise<boolean> {
  const { stdout } = await run('ps', ['-eo', 'args']);
  return stdout.split('\n').some((line) => line.trim() === command);
}

/** A sleep that no other test on this machine has. */
const uniqueSleep = () => `sleep 300.${Math.floor(Math.random() * 1e9)}`;

const serves = async (service: string, commit: string | null) => {
  const answer = await visit(service);
  assert.equal(answer.status, 200);
  assert.equal(JSON.parse(answer.body).commit, commit);
};

test('cancelling a hanging build ends its build process within five seconds; the release before keeps serving', async (t) => {
  await using app = await sampleService('hang');
  const good = await completed((await trigger(app.name)).buildId);
  const sleep = uniqueSleep();
  await app.commit({ instructions: `RUN ${sleep}` });
  const { buildId } = await trigger(app.name);
  await waitUntil('the build process', () => isRunning(sleep));

  const from = Date.now();
  const reply = await api<Build>('POST', `/builds/${buildId}/cancel`);
  const answeredMs = Date.now() - from;
  await waitUntil('the end of the build process', async () => !(await isRunning(sleep)), { withinMs: 5_000 });
  t.diagnostic(`build process gone after ${Date.now() - from} ms, cancel answered after ${answeredMs} ms`);
  assert.equal(reply.status, 200, JSON.stringify(reply.error));

  const build = await getBuild(buildId);
  assert.equal(build.status, 'failed');
  assert.equal(build.reason, 'cancelled');
  assert.equal(build.failure?.code, 'BUILD_CANCELLED');
  assert.equal(stateOf(build, 'image-build'), 'cancelled');
  await serves(app.name, good.commitSha);

  const again = await api('POST', `/builds/${buildId}/cancel`);
  assert.equal(again.status, 409);
  assert.equal(again.error.code, 'BUILD_FINISHED');
  const completedOne = await api('POST', `/builds/${good.id}/cancel`);
  assert.equal(completedOne.status, 409);
  assert.equal(completedOne.error.code, 'BUILD_FINISHED');
});

test('cancelling while the new workload never becomes healthy removes it and keeps the release before', async () => {
  await using app = await sampleService('limbo');
  const good = await completed((await trigger(app.name)).buildId);
  await app.commit({ status: 503 });
  const { buildId } = await trigger(app.name);
  await waitUntil('the unhealthy workload', async () => /Not ready: .*503/.test(await logText(buildId)));
  const { status, error } = await api('POST', `/builds/${buildId}/cancel`);
  assert.ok(status === 200 || status === 202, JSON.stringify(error));
  const build = await ended(buildId, 20_000);
  assert.equal(build.reason, 'cancelled');
  assert.equal(stateOf(build, 'install'), 'cancelled');
  assert.equal((await containersOf(buildId)).length, 0);
  await serves(app.name, good.commitSha);
});

test('a build whose workflow an operator terminates in Temporal is recorded as abandoned, and its work ends', async () => {
  const sleep = uniqueSleep();
  await using app = await sampleService('ended', { instructions: `RUN ${sleep}` });
  await using temporal = await temporalClient();
  const { buildId } = await trigger(app.name);
  await waitUntil('the build process', () => isRunning(sleep));
  await temporal.client.workflow.getHandle(buildWorkflowId(buildId)).terminate('by an operator');
  const build = await ended(buildId, 20_000);
  assert.equal(build.status, 'failed');
  assert.equal(build.reason, 'abandoned');
  assert.equal(build.failure?.code, 'BUILD_ABANDONED');
  await waitUntil('the end of the build process', async () => !(await isRunning(sleep)), { withinMs: 20_000 });

  // The next one is not held up by what the terminated one had.
  await app.commit();
  await completed((await trigger(app.name)).buildId);
});
