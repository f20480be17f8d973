import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { api, completed, trigger, uniqueName, visit } from './harness.ts';
import { sampleService } from './sample-service.ts';

/** A service that calls another by the address that it is given, on the whole stack. */
describe('a service that depends on another', { timeout: 300_000 }, () => {
  it('calls it from its container by the address of its variable, once both are deployed', async () => {
    await using shop = await sampleService('shop');
    const missing = uniqueName('missing');
    const variable = `${shop.name.toUpperCase().replaceAll('-', '_')}_URL`;
    await using caller = await sampleService('caller', {
      spec: `  dependencies: [{ service: ${shop.name}, scopes: [] }, { service: ${missing}, scopes: [] }]`,
      shows: ['PUBLIC_URL', variable],
      computes: `process.env.${variable} && fetch(process.env.${variable}).then((answer) => answer.json())`,
    });
    const deploy = async (name: string) => completed((await trigger(name)).buildId);
    const seen = async () => JSON.parse((await visit(caller.name)).body);

    const early = await deploy(caller.name);
    for (const name of [shop.name, missing]) {
      assert.ok(
        early.warnings.some((warning) => warning.includes(`no service ${name} is deployed in prod`)),
        name,
      );
    }
    assert.equal((await seen())[variable], undefined);

    await deploy(shop.name);
    const { warnings, url } = await deploy(caller.name);
    assert.ok(!warnings.some((warning) => warning.includes(`no service ${shop.name}`)));
    const { [variable]: address, PUBLIC_URL, computed } = await seen();
    assert.equal(PUBLIC_URL, url);
    const commit = JSON.parse((await visit(shop.name)).body).commit;
    assert.equal(computed?.commit, commit);

    await shop.commit({ says: 'again' });
    const redeployed = await deploy(shop.name);
    const after = await seen();
    assert.deepEqual([after[variable], after.computed?.commit], [address, redeployed.commitSha]);

    const { data } = await api<{ buildId: string }>('POST', `/services/${caller.name}/rollback`, {});
    await completed(data.buildId);
    assert.equal((await seen())[variable], undefined, 'the earlier release was made without it');
  });
});
