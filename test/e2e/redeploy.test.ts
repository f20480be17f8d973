import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../support/wait-until.ts';
import { api, completed, connection, ended, getBuild, logText, trigger, visit } from './harness.ts';
import { containersOf, docker, sampleService, stateOf, temporalClient } from './sample-service.ts';

const AT_ONCE = 32;
const REQUESTS = 1_000;
const PAUSE_MS = 100;

interface Load {
  readonly failures: string[];
  readonly commits: Set<string>;
  count: number;
}

/** Requests by 32 clients until `enough`: every second client keeps its connection, the others open one each time. */
async function sendRequests(service: string, enough: () => boolean): Promise<Load> {
  const { edgePort } = await connection();
  const load: Load = { failures: [], commits: new Set(), count: 0 };
  const headers = { host: `${service}.prod.localhost:${edgePort}` };
  const ask = (agent: Agent | false) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const fail = (reason: string) => {
      load.failures.push(`request ${load.count}: ${reason}`);
      resolve();
    };
    request({ host: '127.0.0.1', port: edgePort, path: '/', headers, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part) => {
        body += part;
      });
      response.on('error', (error) => fail(error.message));
      response.on('end', () => {
        if (response.statusCode !== 200) return fail(`${response.statusCode} ${body}`);
        load.commits.add(JSON.parse(body).commit);
        resolve();
      });
    })
      .on('error', (error) => fail(error.message))
      .end();
    return promise;
  };
  const client = async (_: unknown, index: number) => {
    const agent = index % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : false;
    while (load.count < REQUESTS || !enough()) {
      load.count += 1;
      await ask(agent);
      await delay(PAUSE_MS);
    }
    if (agent) agent.destroy();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return load;
}

const commitOf = async (service: string) => JSON.parse((await visit(service)).body).commit as string;

test('no request fails while a new release takes over and the old workload stops', async () => {
  await using app = await sampleService('load');
  const first = await trigger(app.name);
  const before = (await completed(first.buildId)).commitSha;
  const after = await app.commit();
  let replaced = false;
  const load = sendRequests(app.name, () => replaced);
  try {
    const { buildId } = await trigger(app.name);
    await completed(buildId);
    await waitUntil('the end of the old workload', async () => (await containersOf(first.buildId)).length === 0);
  } finally {
    replaced = true;
  }
  const { failures, commits, count } = await load;
  assert.ok(count >= REQUESTS, `only ${count} requests`);
  assert.deepEqual(failures, []);
  assert.deepEqual([...commits], [before, after]);
});

test('the previous release keeps serving when the new one never becomes healthy, and the log tells why', async () => {
  await using app = await sampleService('sick');
  const good = await completed((await trigger(app.name)).buildId);
  await app.commit({ status: 503, says: 'no connection to the warehouse' });
  const { buildId } = await trigger(app.name);
  let served = 0;
  const build = await waitUntil('the end of the build', async () => {
    assert.equal(await commitOf(app.name), good.commitSha);
    served += 1;
    const { status } = await getBuild(buildId);
    return status === 'failed' || status === 'completed' ? await getBuild(buildId) : null;
  });
  assert.ok(served > 10, `asked ${served} times only`);
  assert.equal(build.status, 'failed');
  assert.equal(build.reason, 'step_failed');
  assert.equal(build.failure?.code, 'HEALTH_CHECK_FAILED');
  assert.equal(build.failure?.step, 'install');
  const log = await logText(buildId);
  assert.match(log, /The readiness probe failed, no healthy answer within \d+ seconds\. Last probe: .*503/);
  assert.match(log, /Last output of the container\n.*\| no connection to the warehouse/);
  assert.ok(build.diagnostics.some(({ lines }) => lines.includes('no connection to the warehouse')));
  assert.equal(await commitOf(app.name), good.commitSha);
  assert.equal((await containersOf(buildId)).length, 0);
});

test('a rollback installs the earlier release without a build', async () => {
  await using app = await sampleService('back');
  const first = await completed((await trigger(app.name)).buildId);
  const second = await app.commit();
  await completed((await trigger(app.name)).buildId);
  assert.equal(await commitOf(app.name), second);
  const reply = await api<{ buildId: string }>('POST', `/services/${app.name}/rollback`, {});
  assert.equal(reply.status, 202, JSON.stringify(reply.error));
  const rollback = await completed(reply.data.buildId);
  assert.equal(rollback.kind, 'rollback');
  assert.equal(rollback.releaseId, first.releaseId);
  for (const key of ['source', 'image-build', 'image-push']) assert.equal(stateOf(rollback, key), 'reused', key);
  assert.doesNotMatch(await logText(rollback.id), /Build image|Push image/);
  assert.equal(await commitOf(app.name), first.commitSha);
});

test('a retry of a build that lacked a variable starts at its failed step once the variable is set', async () => {
  await using app = await sampleService('retry', { requires: ['WAREHOUSE_URL'] });
  const failed = await ended((await trigger(app.name)).buildId);
  assert.equal(failed.failure?.code, 'CONFIG_PREFLIGHT_FAILED');
  assert.equal(failed.failure?.step, 'config-preflight');
  assert.match(failed.failure?.message ?? '', /WAREHOUSE_URL/);
  const config = `/services/${app.name}/config`;
  await api('PATCH', config, {
    set: { WAREHOUSE_URL: 'http://warehouse' },
    secrets: { WAREHOUSE_KEY: 'of every one' },
  });
  await api('PATCH', config, { environment: 'prod', secrets: { WAREHOUSE_KEY: 'of prod alone' } });
  await api('PATCH', config, { environment: 'uat', set: { WAREHOUSE_URL: 'http://elsewhere' } });
  const reply = await api<{ buildId: string }>('POST', `/builds/${failed.id}/retry`, {});
  assert.equal(reply.status, 202, JSON.stringify(reply.error));
  const retry = await completed(reply.data.buildId);
  assert.equal(retry.retryOf, failed.id);
  assert.equal(retry.commitSha, failed.commitSha);
  assert.equal(await commitOf(app.name), failed.commitSha);
  const [container] = await containersOf(retry.id);
  const { Config } = await docker.getContainer(container?.Id ?? '').inspect();
  const given = Config.Env.filter((line) => line.startsWith('WAREHOUSE_'));
  assert.deepEqual(given.sort(), ['WAREHOUSE_KEY=of prod alone', 'WAREHOUSE_URL=http://warehouse']);
  assert.deepEqual((await api<{ pending: unknown[] }>('GET', config)).data.pending, []);
});

test('every stored secret is sealed with the current key by a run that anybody may join', async () => {
  const path = '/config/reencryption';
  const run = async () => (await api<{ status: string; checked: number; unreadable: number }>('GET', path)).data;
  for (const time of ['first', 'second']) assert.equal((await api('POST', path)).status, 202, time);
  await waitUntil('the run has ended', async () => (await run()).status === 'completed', { withinMs: 30_000 });
  assert.equal((await run()).unreadable, 0);
});

test('a workload that stopped is started again', async () => {
  await using app = await sampleService('fallen');
  const build = await completed((await trigger(app.name)).buildId);
  const [container] = await containersOf(build.id);
  assert.ok(container, 'the workload has a container');
  await docker.getContainer(container.Id).stop({ t: 1 });
  assert.notEqual((await visit(app.name)).status, 200);
  await using temporal = await temporalClient();
  await temporal.client.schedule.getHandle('reconcile-deploys').trigger();
  await waitUntil('an answer', async () => (await visit(app.name)).status === 200, { withinMs: 20_000 });
  assert.equal(await commitOf(app.name), build.commitSha);
});
