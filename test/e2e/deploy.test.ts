import assert from 'node:assert/strict';
import test from 'node:test';
import { completed, connection, parts, trigger, visit } from './harness.ts';
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

test('a deploy writes what it did to the service registry, and its removal takes it away', async () => {
  const { key } = await connection();
  const { registry } = await parts();
  const ask = async (path: string) => {
    const response = await fetch(`${registry?.address}${path}`, { headers: { 'x-internal-key': key } });
    // JSON of any shape: the test looks into it.
    const body: ReturnType<typeof JSON.parse> = await response.json();
    return { status: response.status, body };
  };
  let name = '';
  {
    await using app = await sampleService('registered');
    name = app.name;
    const { buildId } = await trigger(name);
    const build = await completed(buildId);
    const written = ['namespace', 'snapshot', 'route-registration', 'bindings', 'changelog'];
    const states = build.steps.filter((step) => written.includes(step.key)).map((step) => `${step.key} ${step.state}`);
    assert.deepEqual(
      states,
      written.map((step) => `${step} completed`),
    );
    const plugin = await ask(`/api/plugins/${name}`);
    const { body } = await ask(`/v1/services/${plugin.body.data.serviceId}`);
    const [prod] = body.data.environments;
    assert.deepEqual(
      [prod.namespace, prod.registration.url, prod.registration.buildId],
      [`${name}-prod`, build.url, buildId],
    );
    const deploys = await ask(`/v1/services/${plugin.body.data.serviceId}/environments/prod/deploys`);
    const [deploy] = deploys.body.data.items;
    assert.deepEqual([deploy.buildId, deploy.manifest.commit], [buildId, build.commitSha]);
  }
  assert.equal((await ask(`/api/plugins/${name}`)).status, 404);
});
