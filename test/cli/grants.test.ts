import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { type CliResult, runCli } from './run-cli.ts';

/** The commands against a real builder. */
describe('fairlead grants', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'shopkeepers' }, {});
    await api.services.upsert({ id: 'svc_notes', name: 'notes', org: 'writers' }, {});
  });
  after(() => api.stop());

  const run = (...args: string[]): Promise<CliResult> =>
    runCli({ url: api.address }, ['grants', ...args], { env: { FAIRLEAD_KEY: KEY } });

  it('asks, shows what is asked for, and decides about just that', async () => {
    assert.match((await run()).stdout, /No service asks/);
    const asked = await run('request', 'notes', 'read', 'write', '--service', 'shop', '--json');
    assert.equal(asked.code, 0, asked.stderr);
    const { id } = JSON.parse(asked.stdout).data;
    assert.match(
      (await run('list', '--status', 'pending')).stdout,
      new RegExp(`${id} +pending +shop \\(shopkeepers\\) +prod +notes:read, notes:write +writers`),
    );
    const unasked = await run('approve', id);
    assert.match((await run()).stderr, /An admin of the org that decides: `fairlead grants approve <grant>`/);
    assert.equal(unasked.code, 2, 'without a terminal nobody can be asked');
    assert.match(unasked.stderr, /shop of shopkeepers in prod gets notes:read, notes:write/);
    const approved = await run('approve', id, '--yes');
    assert.match(approved.stdout, /is approved: shop of shopkeepers in prod has notes:read, notes:write/);
    assert.match(
      approved.stderr,
      /A deploy of shop that waits for it goes on now\. Where none waits, shopkeepers deploys it again/,
    );
    assert.match(
      (await run('revoke', id, '--yes')).stdout,
      /is revoked: shop of shopkeepers in prod no longer has notes:read/,
    );
    const denied = await run('deny', id);
    assert.notEqual(denied.code, 0);
    assert.match(denied.stderr, /is revoked: there is nothing to deny/);
  });

  it('says so when there is no such grant', async () => {
    const { code, stderr } = await run('approve', 'sgr_none', '--yes');
    assert.equal(code, 3, stderr);
    assert.match(stderr, /There is no grant sgr_none/);
    assert.match(stderr, /`fairlead grants list`/);
  });
});
