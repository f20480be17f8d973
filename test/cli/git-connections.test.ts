import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { outcome } from '../../domain/git-hooks/delivery.ts';
import { buildRecord } from '../ports/records.ts';
import { pushBody, signDelivery } from '../support/sign-delivery.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { type CliResult, runCli } from './run-cli.ts';

/** The commands against a real builder. */
describe('fairlead git', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    const gitUrl = 'https://git.example/acme/shop.git';
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, { gitUrl, branch: 'trunk' });
    await api.services.upsert({ id: 'svc_api', name: 'api', org: 'acme' }, { gitUrl: 'git@git.example:acme/shop' });
    await api.services.upsert({ id: 'svc_empty', name: 'empty', org: 'acme' }, {});
  });
  after(() => api.stop());

  const run = (args: readonly string[], stdin = ''): Promise<CliResult> =>
    runCli({ url: api.address }, ['git', ...args], { stdin, env: { FAIRLEAD_KEY: KEY } });
  const json = async (args: readonly string[], stdin = '') =>
    JSON.parse((await run([...args, '--json'], stdin)).stdout);

  it('connects, shows the secret once, lists deliveries with their reasons, rotates and disconnects', async () => {
    assert.match((await run(['list'])).stdout, /No repository is connected/);
    const connected = await run(['connect', 'shop', '--provider', 'gitea']);
    assert.equal(connected.code, 0, connected.stderr);
    const [, id = ''] = /(gcn_\w+): https:\/\/git\.example\/acme\/shop\.git deploys shop/.exec(connected.stdout) ?? [];
    const [, secret = ''] = /Secret +(\S+)/.exec(connected.stdout) ?? [];
    assert.match(connected.stdout, /branch trunk → shop in prod/);
    assert.match(connected.stdout, new RegExp(`Address +https://builder\\.example/hooks/git/${id}`));
    assert.ok(secret.length > 30);
    const { body, headers } = signDelivery('gitea', secret, { body: pushBody({ ref: 'refs/heads/other' }) });
    const reply = await fetch(`${api.address}/hooks/git/${id}`, { method: 'POST', headers, body });
    assert.equal(reply.status, 202);
    const silent = new Date(Date.now() - 21 * 24 * 3_600_000);
    assert.match(
      (await run(['list'])).stdout,
      /delivers +https:\/\/git\.example\/acme\/shop\.git +shop +(now|just now|\d+s ago)/,
    );
    await api.gitConnections.noteDeliveries(id, {
      ...{ lastDeliveryAt: null, refusedDeliveries: 4, lastRefusedAt: silent },
    });
    assert.match((await run(['list'])).stderr, /4 deliveries were refused since .*`fairlead git rotate gcn_/);
    const listed = await run(['deliveries', 'shop']);
    assert.match(listed.stdout, /push +other +ada +no_rule +no rule is about that branch or tag/);
    for (const args of [
      ['list'],
      ['list', '--json'],
      ['deliveries', id, '--json'],
      ['connect', 'shop', '--provider', 'gitea'],
    ]) {
      assert.ok(!(await run(args)).stdout.includes(secret), args.join(' '));
    }
    const rotated = await run(['rotate', 'shop']);
    assert.match(rotated.stdout, /takes two secrets/);
    assert.ok(!rotated.stdout.includes(secret));
    assert.match((await run(['rotate', id, '--finish'])).stdout, /newest secret alone/);
    assert.equal((await run(['disconnect', 'shop'])).code, 2, 'without a terminal nobody can be asked');
    const gone = await run(['disconnect', 'shop', '--yes']);
    assert.match(
      gone.stdout,
      /is disconnected: a push to https:\/\/git\.example\/acme\/shop\.git deploys nothing any more/,
    );
    assert.match(gone.stderr, /Delete its webhook at the git host by hand.*hooks\/git\/gcn_/);
    assert.equal((await run(['deliveries', id])).code, 3);
  });

  it('registers the hook by a token of stdin, which is in no output, and says what the host answers', async () => {
    const token = 'canary-token-of-the-cli';
    const refused = await run(['connect', 'shop', '--provider', 'github', '--token'], token);
    assert.equal(refused.code, 0, refused.stderr);
    assert.match(refused.stderr, /could not be registered: The git host has no such repository/);
    assert.match(refused.stdout, /Secret +\S+/);
    api.gitHost.repositories.set('https://git.example/acme/shop.git', new Set());
    const again = await run(['token', 'shop'], token);
    assert.match(again.stdout, /The hook is registered at github/);
    assert.equal(api.gitHost.hooks().length, 1);
    const added = await json([
      'connect',
      'api',
      '--provider',
      'github',
      '--branch',
      'release/*',
      '--to',
      'uat',
      '--watch',
      'api/**',
    ]);
    assert.equal(added.data.connection.services.length, 2);
    assert.deepEqual(added.data.connection.services[1].rules, [
      { kind: 'branch', pattern: 'release/*', environment: 'uat', paths: ['api/**'] },
    ]);
    await run(['disconnect', 'api', '--yes']);
    assert.equal(api.gitHost.hooks().length, 0, 'the hook at the host is gone');
    assert.ok(![refused, again].some(({ stdout, stderr }) => (stdout + stderr).includes(token)));
  });

  it('tells of a hook that is silent, and how the builds of pushes ended', async () => {
    api.gitHost.repositories.set('https://git.example/acme/shop.git', new Set());
    const { data } = await json(['connect', 'shop', '--provider', 'github', '--token'], 'a-token-of-the-host');
    const { id } = data.connection;
    const silent = new Date(Date.now() - 21 * 24 * 3_600_000);
    await api.gitConnections.noteDeliveries(id, {
      ...{ lastDeliveryAt: silent, refusedDeliveries: 0, lastRefusedAt: null },
    });
    const listed = await run(['list']);
    assert.match(listed.stdout, /silent .* 21d ago/);
    assert.match(listed.stderr, /no delivery in 21 days although the hook is registered/);
    await api.builds.create(buildRecord({ id: 'bld_pushed', service: 'shop', status: 'completed' }));
    const looked = (await json(['look', 'shop'])).data.deliveryId;
    await api.gitDeliveries.decide(
      [looked],
      [outcome('deployed', { service: 'shop', environment: 'prod', buildId: 'bld_pushed' })],
    );
    assert.match((await run(['deliveries', 'shop'])).stdout, /deployed +completed +shop in prod: bld_pushed/);
    await run(['disconnect', 'shop', '--yes']);
  });

  it('pauses, polls and looks', async () => {
    await run(['connect', 'shop', '--provider', 'gitlab', '--poll', '5m']);
    assert.match((await run(['list'])).stdout, /polls every 5m/);
    assert.match((await run(['poll', 'shop', '--off'])).stdout, /is not polled/);
    assert.match((await run(['pause', 'shop'])).stdout, /is paused/);
    assert.match((await run(['list'])).stdout, /paused/);
    assert.match((await run(['resume', 'shop'])).stdout, /deploys again/);
    assert.match((await run(['look', 'shop'])).stdout, /is looked at as gdl_/);
    assert.ok(api.gitHookCommands.asked.some((what) => / all gdl_/.test(what)));
    await run(['disconnect', 'shop', '--yes']);
  });

  it('adds a rule to those that the service has with --add, and puts others in their place without it', async () => {
    const connect = ['connect', 'shop', '--provider', 'gitea'];
    await run([...connect, '--branch', 'main']);
    const added = await run([...connect, '--branch', 'develop', '--to', 'uat', '--add']);
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /branch main → shop in prod\n {2}branch develop → shop in uat/);
    assert.match(added.stderr, /was shown when it was made/);
    const watched = await run([...connect, '--branch', 'main', '--watch', 'a/**', '--add']);
    assert.match(watched.stdout, /branch develop → shop in uat\n {2}branch main → shop in prod, when a\/\*\* changes/);
    assert.doesNotMatch((await run([...connect, '--branch', 'main'])).stdout, /develop/);
    assert.equal((await run([...connect, '--add'])).code, 2, 'nothing to add');
    await run(['disconnect', 'shop', '--yes']);
  });

  it('connects what nothing delivers from with polling alone, and prints no webhook for it', async () => {
    await api.services.upsert({ id: 'svc_folder', name: 'folder', org: 'acme' }, { gitUrl: '/srv/git/folder.git' });
    const connect = ['connect', 'folder', '--provider', 'gitea'];
    const refused = await run(connect);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /nothing can deliver pushes from a folder of the builder's machine: .*--poll 5m/);
    assert.equal(refused.stderr.split('nothing can deliver').length, 2, 'said once');
    const { items } = await api.gitConnections.list({ org: 'acme' }, { cursor: null, limit: 50 });
    assert.deepEqual(items, [], 'nothing half-made');
    const polled = await run([...connect, '--poll', '5m']);
    assert.equal(polled.code, 0, polled.stderr);
    assert.match(polled.stdout, /It is polled every 5 minutes: nothing can deliver its pushes/);
    assert.doesNotMatch(polled.stdout + polled.stderr, /Address|Secret|hooks\/git|webhook/);
    const gone = await run(['disconnect', 'folder', '--yes']);
    assert.doesNotMatch(gone.stderr, /webhook/);
    await api.services.upsert({ id: 'svc_hub', name: 'hub', org: 'acme' }, { gitUrl: 'https://github.com/acme/hub' });
    const wrong = await run(['connect', 'hub', '--provider', 'gitea']);
    assert.match(wrong.stderr, /github\.com is no gitea: give github as the provider/);
    assert.notEqual(wrong.code, 0);
  });

  it('gives a service no repository that cannot be connected so', async () => {
    const wrong = await run(['connect', 'empty', '--provider', 'github', '--repository', 'https://gitlab.com/acme/x']);
    assert.match(wrong.stderr, /gitlab\.com is no github/);
    assert.equal((await api.services.find('empty'))?.gitUrl, null);
  });

  it('says what is missing or wrong', async () => {
    assert.equal((await run(['connect', 'shop'])).code, 2);
    assert.equal((await run(['connect', 'shop', '--provider', 'gitea', '--watch', 'a/**'])).code, 2);
    assert.equal((await run(['poll', 'shop'])).code, 2);
    assert.match((await run(['look', 'shop'])).stderr, /No repository is connected that deploys shop/);
    assert.match((await run(['connect', 'empty', '--provider', 'gitea'])).stderr, /has no git URL yet/);
    const other = ['connect', 'shop', '--provider', 'gitea', '--repository', 'https://git.example/acme/other'];
    assert.equal((await run(other)).stderr.split('is built from another repository').length, 2, 'said once');
    const weak = await run(['connect', 'shop', '--provider', 'gitea', '--secret'], 'short');
    assert.match(weak.stderr, /secret: give 16 to 200 characters/);
    assert.notEqual(weak.code, 0);
  });
});
