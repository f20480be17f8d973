import assert from 'node:assert/strict';
import test from 'node:test';
import { completed, connection, trigger, visit } from './harness.ts';
import { containersOf, sampleService } from './sample-service.ts';

test('a commit becomes one workload that answers at the address of its service', async () => {
  await using app = await sampleService('first');
  const { buildId } = await trigger(app.name);
  const build = await completed(buildId);
  const { edgePort } = await connection();
  assert.equal(build.url, `http://${app.name}.prod.localhost:${edgePort}`);
  const answer = await visit(app.name);
  assert.equal(answer.status, 200);
  assert.equal(JSON.parse(answer.body).commit, await app.repository.git('rev-parse', 'HEAD'));
  assert.equal((await containersOf(buildId)).length, 1);
});
