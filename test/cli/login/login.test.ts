import assert from 'node:assert/strict';
import { get } from 'node:http';
import { describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { SERVICE_ROWS } from '../../../domain/services.ts';
import { startApi } from '../../support/start-api.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startCli } from '../run-cli.ts';
import { EMAIL, PASSWORD, useLogins } from './use-logins.ts';

describe('a login of the command line', () => {
  const cli = useLogins();
  const { addOpener, start, run, file, stored, agree, urlOpened, logIn } = cli;

  it('by the browser: later commands act as the person, whoami says who, logout ends it everywhere', async () => {
    const { code, stdout, stderr } = await logIn();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /as ann@acme\.example \(org acme\)/);
    assert.equal((await run('services')).code, 0);
    assert.equal((await run('services', 'delete', 'shop', '--yes')).code, 4, 'a member deletes nothing');
    const who = await run('whoami', '--json');
    const { email, orgSlug, orgRoles } = JSON.parse(who.stdout).data;
    assert.deepEqual([who.code, email, orgSlug, orgRoles], [0, EMAIL, 'acme', ['member']]);

    const { accessToken, refreshToken } = stored();
    const audiences = SERVICE_ROWS.flatMap(({ platformClient }) => platformClient ?? []);
    assert.deepEqual(decodeJwt(accessToken).aud, audiences);
    assert.ok(audiences.includes('builder') && audiences.includes('audit-ledger'));
    assert.equal((await run('logout')).code, 0);
    assert.equal(file().find(cli.api.address), null);
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken ?? '', client_id: 'fairlead-cli' };
    assert.equal((await cli.idp.call('POST', '/api/oauth/token', { form })).body.error, 'invalid_grant');
    const authorization = `Bearer ${accessToken}`;
    const status = async () => (await fetch(`${cli.api.address}/services`, { headers: { authorization } })).status;
    const deadline = Date.now() + 2_000;
    let last = await status();
    while (last !== 401 && Date.now() < deadline) last = await status();
    assert.equal(last, 401);
    const after = await run('services');
    assert.deepEqual([after.code, /fairlead\.mjs login/.test(after.stderr)], [4, true]);
  });

  it('asks with PKCE S256, a state and a nonce, and comes back to 127.0.0.1 on a port of its own', async () => {
    const command = start(['login']);
    const { searchParams } = new URL(await urlOpened());
    const value = (name: string) => searchParams.get(name) ?? '';
    assert.deepEqual([value('code_challenge_method'), value('response_type')], ['S256', 'code']);
    assert.match(value('redirect_uri'), /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(value(name).length >= 43, name);
    command.child.kill('SIGINT');
    const { code, stderr } = await command.done;
    assert.deepEqual([code, /Login cancelled/.test(stderr)], [130, true]);
    await assert.rejects(fetch(value('redirect_uri')), 'nothing listens any more');
  });

  it('refuses forged callbacks with 400, and then completes the login', async () => {
    const command = start(['login']);
    const url = await urlOpened();
    const { searchParams } = new URL(url);
    const callback = searchParams.get('redirect_uri') ?? '';
    for (const forged of [
      `${callback}?code=x&state=guess`,
      `${callback}?error=access_denied`,
      `${callback}/../callback?x`,
    ]) {
      assert.equal((await fetch(forged)).status, 400, forged);
    }
    const { port } = new URL(callback);
    for (const target of ['//', 'http://[', `http://evil.example/callback?state=${searchParams.get('state')}`]) {
      assert.equal(await statusOf(Number(port), target), 400, target);
    }
    const back = await fetch(await agree(url));
    assert.match(await back.text(), /You are logged in/);
    assert.equal((await command.done).code, 0);
  });

  it('refuses an answer of another issuer (mix-up), and keeps nothing', async () => {
    const command = start(['login']);
    const answer = new URL(await agree(await urlOpened()));
    answer.searchParams.set('iss', 'https://evil.example');
    assert.equal((await fetch(answer)).status, 400);
    const { code, stderr } = await command.done;
    assert.equal(code, 4, stderr);
    assert.equal(file().find(cli.api.address), null);
  });

  it('that is denied in the browser says so', async () => {
    const command = start(['login']);
    const url = await urlOpened();
    await cli.idp.deps.consents.remove((await cli.idp.deps.users.findByEmail(EMAIL))?.id ?? '', 'fairlead-cli');
    await fetch(await agree(url, 'deny'));
    const { code, stderr } = await command.done;
    assert.deepEqual([code, /denied in the browser/.test(stderr)], [4, true]);
  });

  for (const [where, args, env, opener] of [
    ['that was asked for', ['--device'], {}, 'exit 0'],
    ['without a desktop', [], { DISPLAY: '' }, 'exit 0'],
    ['over SSH', [], { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, 'exit 0'],
    ['when no browser opens', [], {}, 'exit 3'],
  ] as const) {
    it(`by a code typed on another device, ${where}`, async () => {
      addOpener(opener);
      const command = start(['login', ...args], env);
      const shown = () => /\n {2}([A-Z]{4}-[A-Z]{4})\n/.exec(command.text())?.[1];
      await waitUntil('the code to be shown', () => shown() !== undefined);
      await cli.browser.logIn(EMAIL, PASSWORD);
      const typed = await cli.browser.submit(await cli.browser.open('/oauth/device'), '/oauth/device', {
        user_code: shown() ?? '',
      });
      await cli.browser.submit(await cli.browser.follow(typed), '/oauth/device/decision', { decision: 'allow' });
      const { code, stdout, stderr } = await command.done;
      assert.equal(code, 0, stderr);
      assert.match(stdout, /as ann@acme\.example/);
      assert.equal((await run('services')).code, 0);
    });
  }
});

it('an API without an identity provider says that it takes keys', async () => {
  const api = await startApi();
  try {
    const { code, stderr } = await startCli({ url: api.address }, ['login'], { env: { FAIRLEAD_KEY: '' } }).done;
    assert.deepEqual([code, /has no identity provider/.test(stderr)], [4, true]);
  } finally {
    await api.stop();
  }
});

/** The status of a GET whose request target is sent as it stands. */
function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path }, (response) => resolve(response.resume().statusCode));
    request.once('error', reject);
  });
}
