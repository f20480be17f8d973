import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClientAdministration } from '../../adapters/idp/client-administration.ts';
import { startApi, type TestApi } from '../support/start-api.ts';
import { KEY as IDP_KEY, startIdp, type TestIdp } from '../support/start-idp.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type CliResult, runCli } from './run-cli.ts';
import { startOnTerminal } from './start-on-terminal.ts';

/** The commands against a real builder with a real identity provider behind it. */
describe('fairlead oauth', () => {
  let idp: TestIdp;
  let api: TestApi;
  before(async () => {
    idp = await startIdp();
    await idp.seedOrg('acme');
    api = await startApi(null, createClientAdministration({ url: idp.address, internalKey: IDP_KEY }));
  });
  after(async () => {
    await api.stop();
    await idp.stop();
  });

  const run = (...args: string[]): Promise<CliResult> =>
    runCli({ url: api.address }, ['oauth', ...args], { env: { FAIRLEAD_KEY: IDP_KEY } });
  const dataOf = ({ code, stdout, stderr }: CliResult) => {
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout).data;
  };
  const accepts = async (clientId: string, secret: string): Promise<boolean> => {
    const client = await idp.deps.clients.find(clientId);
    return client?.secrets.some(({ hash }) => hash === idp.deps.tokens.hash(secret)) ?? false;
  };

  it('create prints the secret once, on stdout, and it works', async () => {
    const made = await run(
      'create',
      'Back Office',
      '--id',
      'back-office',
      '--org',
      'acme',
      '--scopes',
      'openid,mailer:send',
    );
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^Created back-office\nClient secret: flcs_\S+\n$/);
    assert.match(made.stderr, /shown only once/);
    const secret = /flcs_\S+/.exec(made.stdout)?.[0] ?? '';
    assert.equal(await accepts('back-office', secret), true);
    for (const args of [['get', 'back-office'], ['get', 'back-office', '--json'], ['list'], ['list', '--json']]) {
      const { stdout, stderr } = await run(...args);
      assert.ok(stdout.includes('back-office') && !(stdout + stderr).includes(secret), args.join(' '));
    }
    assert.deepEqual(dataOf(await run('get', 'back-office', '--json')).allowedScopes, ['openid', 'mailer:send']);
  });

  it('create makes up an id, and a public client has no secret', async () => {
    const { stdout } = await run('create', 'My Page', '--org', 'acme', '--public', '-q');
    assert.match(stdout, /^my-page-[a-z0-9]{6}\n$/);
    assert.match((await run('list', '-n', '1')).stderr, /There are more than 1: `--limit <count>`/);
    const quiet = await run('create', 'Robot', '--org', 'acme', '-q');
    assert.match(quiet.stdout, /^robot-[a-z0-9]{6}\nflcs_\S+\n$/);
    assert.equal(quiet.stderr, '');
  });

  it('list shows a table, ids with --quiet', async () => {
    await idp.seedClient('shop-prod', { orgSlug: 'acme', service: 'shop', environment: 'prod' });
    const { stdout } = await run('list');
    assert.match(stdout, /^CLIENT +NAME +ORG +FOR +CHANGED\n/);
    assert.match(stdout, /shop-prod +Client shop-prod +acme +shop prod/);
    assert.ok((await run('list', '-q')).stdout.split('\n').includes('shop-prod'));
    assert.equal((await run('-q')).stdout, (await run('list', '-q')).stdout);
  });

  it('update changes what is given and nothing else, and says when nothing is', async () => {
    await idp.seedClient('desk', { orgSlug: 'acme', description: 'stays' });
    const args = [
      '--name',
      'Desk',
      '--access-token-ttl',
      '600',
      '--headless',
      'on',
      '--embed-origins',
      'https://a.example',
    ];
    const data = dataOf(await run('update', 'desk', ...args, '--json'));
    const { name, description, accessTokenTtlSeconds, headlessEnabled, passportConfig } = data;
    assert.deepEqual([name, description, accessTokenTtlSeconds, headlessEnabled], ['Desk', 'stays', 600, true]);
    assert.deepEqual(passportConfig.allowedEmbedOrigins, ['https://a.example']);
    const nothing = await run('update', 'desk');
    assert.equal(nothing.code, 2);
    assert.match(nothing.stderr, /No change was given/);
    assert.equal((await run('update', 'desk', '--headless', 'maybe')).code, 2);
    assert.equal((await run('update', 'desk', '--access-token-ttl', '5')).code, 2);
  });

  it('get shows what is switched on, and nothing of what is not', async () => {
    await idp.seedClient('plain', { orgSlug: 'acme' });
    const on = { headlessEnabled: true, selfServiceEmail: true, trustedInviteSignup: true };
    await idp.seedClient('switched', { orgSlug: 'acme', ...on });
    assert.match((await run('get', 'switched')).stdout, /^Also +headless, self-service e-mail, trusted sign-up$/m);
    assert.doesNotMatch((await run('get', 'plain')).stdout, /^Also/m);
  });

  it('add-uri and remove-uri show what is registered then', async () => {
    await idp.seedClient('uris-prod', { orgSlug: 'acme', service: 'uris', environment: 'prod' });
    const local = 'http://localhost:3000/api/auth/callback';
    assert.equal((await run('add-uri', 'uris-prod', local)).stdout, `${local}\n`);
    const wrong = await run('add-uri', 'uris-prod', 'https://uris.example/callback');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /INVALID_REDIRECT_URI.*Invalid Redirect URI.*\/api\/auth\/callback/);
    assert.equal((await run('remove-uri', 'uris-prod', local, '-q')).stdout, '');
    assert.equal((await run('remove-uri', 'uris-prod', local)).code, 3);
  });

  it('secrets are rotated without a gap: add, remove the old; or replaced at once with --yes', async () => {
    const { client, secret: old } = await idp.seedClient('rotating', { orgSlug: 'acme' });
    const added = (await run('add-secret', 'rotating', '-q')).stdout.trim();
    assert.deepEqual([await accepts('rotating', old), await accepts('rotating', added)], [true, true]);
    assert.equal((await run('add-secret', 'rotating')).code, 6);
    const oldId = client.secrets[0]?.id ?? '';
    assert.equal((await run('remove-secret', 'rotating', oldId)).code, 2);
    assert.equal((await run('remove-secret', 'rotating', oldId, '--yes')).code, 0);
    assert.deepEqual([await accepts('rotating', old), await accepts('rotating', added)], [false, true]);
    const refused = await run('regenerate-secret', 'rotating');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /regenerate-secret rotating --yes/);
    assert.equal(await accepts('rotating', added), true);
    const fresh = dataOf(await run('regenerate-secret', 'rotating', '--yes', '--json')).clientSecret;
    assert.deepEqual([await accepts('rotating', added), await accepts('rotating', fresh)], [false, true]);
  });

  describe('regenerate-secret, which cuts a running service off', () => {
    const onTerminal = (clientId: string) =>
      startOnTerminal(
        { FAIRLEAD_URL: api.address, FAIRLEAD_KEY: IDP_KEY },
        `oauth regenerate-secret ${clientId} --no-color`,
      );

    it('says so first, names the way without a gap, and on a terminal changes nothing before a yes', async () => {
      const { client, secret } = await idp.seedClient('live-prod', {
        ...{ orgSlug: 'acme', service: 'live', environment: 'prod' },
      });
      for (const [answer, code] of [
        ['\r', 130],
        ['no\r', 130],
        ['\u0003', 130],
        ['\u0004', 130],
        ['y\r', 0],
      ] as const) {
        const cli = onTerminal('live-prod');
        await waitUntil('the question', () => cli.text().includes('[y/N]'));
        assert.match(cli.text(), /live in prod uses the current secret: it is refused until its next deploy\./);
        const old = client.secrets[0]?.id;
        const gentle = `add-secret live-prod\`, deploy live, \`fairlead oauth remove-secret live-prod ${old}\``;
        assert.ok(cli.text().includes(gentle), cli.text());
        assert.equal(await accepts('live-prod', secret), true, 'before an answer');
        cli.type(answer);
        assert.equal(await cli.done, code, cli.text());
        assert.equal(await accepts('live-prod', secret), code !== 0, JSON.stringify(answer));
        assert.equal(/flcs_/.test(cli.text()), code === 0);
      }
    });

    it('asks nobody where nobody is there to ask: a program says --yes, and is told what follows', async () => {
      await idp.seedClient('quiet-prod', { orgSlug: 'acme', service: 'quiet', environment: 'prod' });
      const refused = await run('regenerate-secret', 'quiet-prod');
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /refused until[\s\S]*regenerate-secret quiet-prod --yes[\s\S]*Without downtime/);
      const json = await run('regenerate-secret', 'quiet-prod', '--json');
      assert.deepEqual([json.code, JSON.parse(json.stdout).error.code], [2, 'USAGE']);
      assert.match((await run('regenerate-secret', 'quiet-prod', '--yes')).stderr, /invalid_client: deploy it now/);
      assert.equal((await run('regenerate-secret', 'nobody', '--yes')).code, 3);
    });

    it('leaves the gentle way out where it would be refused: there are two secrets', async () => {
      await idp.seedClient('full', { orgSlug: 'acme' });
      await run('add-secret', 'full');
      const { stderr } = await run('regenerate-secret', 'full');
      assert.match(stderr, /Clients that use a current secret are refused/);
      assert.doesNotMatch(stderr, /Without downtime/);
    });
  });

  it('delete needs --yes', async () => {
    await idp.seedClient('doomed', { orgSlug: 'acme' });
    assert.equal((await run('delete', 'doomed')).code, 2);
    assert.equal((await run('delete', 'doomed', '--yes')).stdout, 'Deleted doomed\n');
    assert.equal(await idp.deps.clients.find('doomed'), null);
    assert.equal((await run('delete', 'doomed', '--yes')).code, 3);
  });

  it('exits 3 for a client that is not there, and 5 without an identity provider', async () => {
    assert.equal((await run('get', 'nobody')).code, 3);
    const builder = await startApi(null, null);
    try {
      const { code } = await runCli({ url: builder.address }, ['oauth', 'list'], { env: { FAIRLEAD_KEY: IDP_KEY } });
      assert.equal(code, 5);
    } finally {
      await builder.stop();
    }
  });
});
