import assert from 'node:assert/strict';
import test from 'node:test';
import { waitUntil } from '../support/wait-until.ts';
import { api, completed, ended, getBuild, logText, trigger, visit } from './harness.ts';
import { buildsOf, sampleService, stateOf } from './sample-service.ts';

test('twenty simultaneous triggers of one branch make one build, and its log tells who attached', async () => {
  await using app = await sampleService('crowd', { instructions: 'RUN sleep 2' });
  const replies = await Promise.all(Array.from({ length: 20 }, () => trigger(app.name, { branch: 'main' })));
  const ids = new Set(replies.map(({ buildId }) => buildId));
  assert.equal(ids.size, 1);
  assert.equal(replies.filter(({ deduplicated }) => !deduplicated).length, 1);
  const build = await completed(replies[0]?.buildId ?? '');
  assert.deepEqual(
    (await buildsOf(app.name)).map(({ id }) => id),
    [build.id],
  );
  const attached = (await logText(build.id)).match(/^Attached: internal .* request req_\S+$/gm) ?? [];
  assert.equal(attached.length, 19);
  assert.equal(new Set(attached).size, 19, 'each line names another request');
});

test('a request for the commit that is being built attaches; a newer commit supersedes the build and goes live', async () => {
  await using app = await sampleService('newer', { instructions: 'RUN sleep 300' });
  const obsolete = await trigger(app.name);
  await waitUntil(
    'the hanging build',
    async () => stateOf(await getBuild(obsolete.buildId), 'image-build') === 'running',
  );
  assert.deepEqual(await trigger(app.name), { ...obsolete, deduplicated: true });

  const commit = await app.commit();
  const newer = await trigger(app.name);
  assert.equal(newer.deduplicated, false);
  assert.equal(newer.supersededBuildId, obsolete.buildId);
  const live = await completed(newer.buildId);
  assert.equal(live.commitSha, commit);
  assert.equal(JSON.parse((await visit(app.name)).body).commit, commit);

  const build = await ended(obsolete.buildId);
  assert.equal(build.status, 'failed');
  assert.equal(build.reason, 'superseded');
  assert.equal(build.failure?.code, 'BUILD_SUPERSEDED');
  assert.equal(build.supersededBy, newer.buildId);
  assert.equal(stateOf(build, 'image-build'), 'cancelled');
  assert.match(await logText(build.id), new RegExp(`Superseded by ${newer.buildId}`, 'i'));
});

test('at most three builds run at once, and production goes first', async () => {
  await using blockers = await sampleService('blocker', { instructions: 'RUN sleep 300' });
  await using waiting = await sampleService('waiting');
  const running = [];
  for (const environment of ['prod', 'sandbox', 'uat']) {
    running.push((await trigger(blockers.name, { environment })).buildId);
  }
  for (const id of running) {
    await waitUntil('three running builds', async () => stateOf(await getBuild(id), 'image-build') === 'running');
  }
  const sandbox = await trigger(waiting.name, { environment: 'sandbox' });
  const uat = await trigger(waiting.name, { environment: 'uat' });
  const prod = await trigger(waiting.name, { environment: 'prod' });
  const queued = [sandbox, uat, prod].map(({ buildId }) => buildId);
  for (const id of queued) assert.equal((await getBuild(id)).status, 'queued');

  await api('POST', `/builds/${running[0]}/cancel`);
  const order = (await Promise.all(queued.map((id) => completed(id)))).toSorted((a, b) =>
    String(a.startedAt).localeCompare(String(b.startedAt)),
  );
  assert.deepEqual(
    order.map(({ environment }) => environment),
    ['prod', 'sandbox', 'uat'],
  );
  for (const id of running.slice(1)) assert.equal((await getBuild(id)).status, 'building', 'the others still run');
});
