import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApi, type TestApi } from '../../support/start-api.ts';

const MANIFEST = JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { express: '^5.1.0' } });

describe('the container file of a plan', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.services.upsert({ id: 'svc_named', name: 'named', org: 'acme' }, { dockerfilePath: 'ops/Dockerfile' });
  });
  after(() => api.stop());

  /** What is found of it, and what is warned of it. */
  async function planned(body: object, headers = {}) {
    const sent = { manifest: MANIFEST, files: ['package.json'], containerFiles: [], ...body };
    const { data } = (await api.call('POST', '/builds/plan', sent, headers)).body;
    const found = data.found.find(({ key }: { key: string }) => key === 'containerFile');
    return { value: found?.value, warned: data.warnings.filter((line: string) => / does not exist/.test(line)) };
  }

  it('is the one that .platform.yaml names', async () => {
    const body = { platformConfig: 'dockerfile: ops/Dockerfile', containerFiles: ['ops/Dockerfile'] };
    assert.deepEqual(await planned(body), { value: 'ops/Dockerfile', warned: [] });
  });

  it('is generated, with a warning, where .platform.yaml names one that is missing', async () => {
    const { value, warned } = await planned({ platformConfig: 'dockerfile: ops/Dockerfile' });
    assert.equal(value, 'generated');
    assert.match(warned.join(), /^ops\/Dockerfile does not exist; falling back to a generated container file/);
  });

  it('is the one that the service record names, before that of .platform.yaml', async () => {
    const body = { service: 'named', platformConfig: 'dockerfile: other/Dockerfile' };
    assert.match((await planned(body)).warned.join(), /^ops\/Dockerfile does not exist/);
    assert.equal((await planned({ ...body, containerFiles: ['ops/Dockerfile'] })).value, 'ops/Dockerfile');
  });

  it('is the one that the catalog names, before all', async () => {
    const catalog = [
      'metadata:',
      '  name: named',
      '  annotations: {platform.io/catalog-version: 0.6.0, platform.io/dockerfile: Containerfile}',
    ].join('\n');
    const body = { service: 'named', catalog, files: ['package.json', 'Containerfile'] };
    assert.deepEqual(await planned(body), { value: 'Containerfile', warned: [] });
  });

  it('tells nothing of the record of a service that is not the caller’s', async () => {
    const other = await planned({ service: 'named' }, { 'x-test-user': 'other/admin' });
    assert.deepEqual(other, { value: 'generated', warned: [] });
  });

  it('is refused with the problem of a .platform.yaml that cannot be read, as a build is', async () => {
    const answer = await api.call('POST', '/builds/plan', { platformConfig: 'appPath: ../x', files: ['a'] });
    assert.deepEqual([answer.status, answer.body.error.code], [400, 'PLATFORM_CONFIG_INVALID']);
    assert.match(answer.body.error.message, /appPath/);
  });
});
