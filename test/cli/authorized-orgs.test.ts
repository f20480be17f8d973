import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { type CliResult, runCli } from './run-cli.ts';

/** The commands against a real builder. */
describe('fairlead services authorized-orgs', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.services.upsert({ id: 'svc_notes', name: 'notes', org: 'writers' }, {});
  });
  after(() => api.stop());

  const run = (...args: string[]): Promise<CliResult> =>
    runCli({ url: api.address }, ['services', ...args], { env: { FAIRLEAD_KEY: KEY } });

  it('lets an org in with a role on the repository, and shows it and how it came about', async () => {
    assert.match((await run('authorized-orgs', 'notes')).stdout, /owned by writers\n.*No other org/);
    const added = await run('authorize-org', 'notes', 'helpers');
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /helpers is authorized for notes, with the role write/);
    assert.match((await run('authorize-org', 'notes', 'helpers', '--repo-role', 'read')).stdout, /role read/);
    assert.match((await run('authorized-orgs', 'notes')).stdout, /helpers +read +internal/);
    assert.equal((await run('authorized-orgs', 'notes', '-q')).stdout, 'helpers\n');
    const history = (await run('authorized-orgs', 'notes', '--history')).stdout;
    assert.match(history, /helpers +authorized +write/);
    assert.match(history, /helpers +repo role changed +read/);
    const json = await run('authorized-orgs', 'notes', '--json');
    assert.equal(JSON.parse(json.stdout).data.authorizedOrgs[0].orgSlug, 'helpers');
  });

  it('says what an org that was taken out may have left behind', async () => {
    const left = { service: 'notes', owner: 'writers', revision: 2, authorizedOrgs: [] };
    const data = { ...left, openBuilds: ['bld_theirs'], clients: ['notes-prod'], deployAgain: ['notes-prod'] };
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, data }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, stderr } = await runCli({ url }, ['services', 'deauthorize-org', 'notes', 'helpers', '--yes'], {
      env: { FAIRLEAD_KEY: KEY },
    });
    server.close();
    assert.equal(code, 0, stderr);
    for (const command of ['cancel bld_theirs', 'oauth get notes-prod', 'oauth regenerate-secret notes-prod']) {
      assert.ok(stderr.includes(`\`fairlead ${command}\``), stderr);
    }
    assert.match(stderr, /asked for the secret of notes-prod that notes has: deploy at once/);
  });

  it('takes no org out before somebody agreed', async () => {
    await run('authorize-org', 'notes', 'agency');
    const { code, stdout, stderr } = await run('deauthorize-org', 'notes', 'agency');
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(
      stderr,
      /agency deploys and manages notes no more.*\n.*`fairlead services deauthorize-org notes agency --yes`/,
    );
    assert.match((await run('authorized-orgs', 'notes', '-q')).stdout, /^agency$/m);
  });

  it('says what is wrong', async () => {
    const table = [
      [['authorize-org', 'notes', 'nobody'], /There is no org nobody/],
      [['authorize-org', 'notes', 'writers'], /writers owns notes/],
      [['authorize-org', 'notes', 'helpers', '--repo-role', 'owner'], /owner/],
      [['authorize-org', 'gone', 'helpers'], /Service not found/],
      [['deauthorize-org', 'notes', 'helpers', '--yes'], /super admins and people with the role admin/],
    ] as const;
    for (const [args, message] of table) {
      const { code, stderr } = await run(...args);
      assert.notEqual(code, 0);
      assert.match(stderr, message);
    }
  });
});
