import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { createCredentialsFile, type StoredLogin } from '../../../cli/login/credentials-file.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../sdk/index.ts';
import { type Browser, createBrowser } from '../../api/identity/pages/browse.ts';
import { KEY as IDP_KEY, startIdp, type TestIdp } from '../../api/identity/start-idp.ts';
import { KEY, startApi, type TestApi } from '../../api/start-api.ts';
import { type CliResult, type RunningCli, startCli, until } from '../run-cli.ts';

const EMAIL = 'ann@acme.example';
const PASSWORD = 'correct horse battery';

/** The command line as a process, against the real provider and the real builder; the test is the person at the browser. */
describe('a login of the command line', () => {
  let idp: TestIdp;
  let verifier: TokenVerifier;
  let api: TestApi;
  let home: string;
  let browser: Browser;
  before(async () => {
    idp = await startIdp();
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'builder', revocations: { internalKey: IDP_KEY } });
    api = await startApi({ verifier, issuer: idp.issuer });
    await idp.seedOrg('acme');
    await idp.seedUser(EMAIL, { password: PASSWORD, org: 'acme', orgRoles: ['member'] });
  });
  after(async () => {
    verifier.close();
    await api.stop();
    await idp.stop();
  });
  const running: RunningCli[] = [];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'fairlead-login-'));
    browser = createBrowser(idp);
    addOpener('printf %s "$1" > "$OPENED.part" && mv "$OPENED.part" "$OPENED"');
  });
  afterEach(async () => {
    for (const { child, done } of running.splice(0)) {
      child.kill('SIGKILL');
      await done;
    }
    rmSync(home, { recursive: true, force: true });
  });

  const opened = () => join(home, 'opened');
  /** What `xdg-open` does on this desktop. */
  function addOpener(script: string): void {
    mkdirSync(join(home, 'bin'), { recursive: true });
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(home, 'bin', name), 0o755);
    }
  }
  function start(args: string[], env: Record<string, string> = {}): RunningCli {
    const cli = startCli({ url: api.address }, args, {
      env: {
        FAIRLEAD_KEY: '',
        XDG_CONFIG_HOME: join(home, 'config'),
        PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}`,
        DISPLAY: ':0',
        OPENED: opened(),
        ...env,
      },
    });
    running.push(cli);
    return cli;
  }
  const run = (...args: string[]): Promise<CliResult> => start(args).done;
  const file = () => createCredentialsFile(join(home, 'config', 'fairlead', 'credentials.json'));
  const stored = (): StoredLogin => {
    const login = file().find(api.address);
    assert.ok(login !== null, 'there is a login');
    return login;
  };

  /** Logs in and agrees, as a person would. @returns the address the browser is sent back to */
  async function agree(url: string, decision: 'allow' | 'deny' = 'allow'): Promise<string> {
    const { pathname, search } = new URL(url);
    const login = await browser.open(pathname + search);
    let page = await browser.follow(await browser.submit(login, '/login', { email: EMAIL, password: PASSWORD }));
    if (page.location === null) page = await browser.submit(page, '/oauth/authorize/decision', { decision });
    assert.ok(page.location !== null, page.html);
    return page.location;
  }
  async function urlOpened(): Promise<string> {
    await until(() => existsSync(opened()), 'the browser to be opened');
    return readFileSync(opened(), 'utf8');
  }
  async function logIn(): Promise<CliResult> {
    const cli = start(['login']);
    await fetch(await agree(await urlOpened()));
    return cli.done;
  }

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
    assert.equal((await run('logout')).code, 0);
    assert.equal(file().find(api.address), null);
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken ?? '', client_id: 'fairlead-cli' };
    assert.equal((await idp.call('POST', '/api/oauth/token', { form })).body.error, 'invalid_grant');
    const authorization = `Bearer ${accessToken}`;
    const status = async () => (await fetch(`${api.address}/services`, { headers: { authorization } })).status;
    const deadline = Date.now() + 2_000;
    let last = await status();
    while (last !== 401 && Date.now() < deadline) last = await status();
    assert.equal(last, 401);
    const after = await run('services');
    assert.deepEqual([after.code, /fairlead login/.test(after.stderr)], [4, true]);
  });

  it('asks with PKCE S256, a state and a nonce, and comes back to 127.0.0.1 on a port of its own', async () => {
    const cli = start(['login']);
    const { searchParams } = new URL(await urlOpened());
    const value = (name: string) => searchParams.get(name) ?? '';
    assert.deepEqual([value('code_challenge_method'), value('response_type')], ['S256', 'code']);
    assert.match(value('redirect_uri'), /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(value(name).length >= 43, name);
    cli.child.kill('SIGINT');
    const { code, stderr } = await cli.done;
    assert.deepEqual([code, /Login cancelled/.test(stderr)], [130, true]);
    await assert.rejects(fetch(value('redirect_uri')), 'nothing listens any more');
  });

  it('takes no answer but its own: forged callbacks get 400 and the login goes on', async () => {
    const cli = start(['login']);
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
    assert.equal((await cli.done).code, 0);
  });

  it('refuses an answer of another issuer (mix-up), and keeps nothing', async () => {
    const cli = start(['login']);
    const answer = new URL(await agree(await urlOpened()));
    answer.searchParams.set('iss', 'https://evil.example');
    assert.equal((await fetch(answer)).status, 400);
    const { code, stderr } = await cli.done;
    assert.equal(code, 4, stderr);
    assert.equal(file().find(api.address), null);
  });

  it('that is denied in the browser says so', async () => {
    const cli = start(['login']);
    const url = await urlOpened();
    await idp.deps.consents.remove((await idp.deps.users.findByEmail(EMAIL))?.id ?? '', 'fairlead-cli');
    await fetch(await agree(url, 'deny'));
    const { code, stderr } = await cli.done;
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
      const cli = start(['login', ...args], env);
      const shown = () => /\n {2}([A-Z]{4}-[A-Z]{4})\n/.exec(cli.text())?.[1];
      await until(() => shown() !== undefined, 'the code to be shown');
      await browser.logIn(EMAIL, PASSWORD);
      const typed = await browser.submit(await browser.open('/oauth/device'), '/oauth/device', {
        user_code: shown() ?? '',
      });
      await browser.submit(await browser.follow(typed), '/oauth/device/decision', { decision: 'allow' });
      const { code, stdout, stderr } = await cli.done;
      assert.equal(code, 0, stderr);
      assert.match(stdout, /as ann@acme\.example/);
      assert.equal((await run('services')).code, 0);
    });
  }

  it('shows no token anywhere: not on a stream, not in --json, not in an error', async () => {
    const printed = [
      await logIn(),
      await run('whoami'),
      await run('whoami', '--json'),
      await run('services', '--json'),
    ];
    const { accessToken, refreshToken } = stored();
    printed.push(await run('logout', '--json'));
    for (const { stdout, stderr } of printed) {
      for (const secret of [accessToken, refreshToken ?? '', accessToken.split('.')[2] ?? '']) {
        assert.ok(secret.length > 20 && !`${stdout}${stderr}`.includes(secret));
      }
    }
  });

  it('is renewed once when several commands find its token used up, and all of them succeed', async () => {
    await logIn();
    const login = stored();
    await file().save(api.address, { ...login, expiresAt: new Date(Date.now() - 1_000).toISOString() });
    const grantId = String(login.refreshToken).split('.')[0] ?? '';
    const results = await Promise.all(Array.from({ length: 4 }, () => run('services')));
    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0, 0, 0],
      results.map(({ stderr }) => stderr).join(),
    );
    assert.notEqual(stored().refreshToken, login.refreshToken);
    assert.equal((await idp.deps.grants.find(grantId))?.generation, 1, 'one refresh');
  });

  for (const command of ['services', 'whoami']) {
    it(`goes on when its token is voided before its time: ${command} gets another`, async () => {
      await logIn();
      const { accessToken, identityId } = stored();
      // Of the second in which rights were taken away no token is good.
      const issuedUntil = new Date(Math.floor(Date.now() / 1000) * 1000);
      const expiresAt = new Date(Date.now() + 3_600_000);
      while (Date.now() < issuedUntil.getTime() + 1_000) await pause(20);
      await idp.deps.revocations.add({
        kind: 'user',
        value: identityId,
        issuedUntil,
        revokedAt: new Date(),
        expiresAt,
      });
      const refused = () =>
        verifier.verify(accessToken).then(
          () => false,
          () => true,
        );
      for (const deadline = Date.now() + 3_000; !(await refused()) && Date.now() < deadline; ) await pause(20);
      const { code, stderr } = await run(command);
      assert.equal(code, 0, stderr);
      assert.notEqual(stored().accessToken, accessToken);
    });
  }

  it('that was ended elsewhere is one clear line', async () => {
    await logIn();
    const login = stored();
    await idp.deps.grants.revoke(String(login.refreshToken).split('.')[0] ?? '', new Date());
    await file().save(api.address, { ...login, expiresAt: new Date(Date.now() - 1_000).toISOString() });
    for (const command of ['services', 'whoami']) {
      const { code, stderr } = await run(command);
      assert.equal(code, 4);
      assert.match(
        stderr,
        /^error LOGIN_ENDED Your login at \S+ has expired or was ended\.\nRun `fairlead login`\.\n$/,
      );
    }
  });

  it('gives way to FAIRLEAD_KEY, and whoami says so', async () => {
    await logIn();
    const env = { FAIRLEAD_KEY: KEY };
    const { stdout } = await start(['whoami'], env).done;
    assert.match(stdout, /The platform itself, by FAIRLEAD_KEY/);
  });

  it('logout without a login is no error, and one whose provider is away forgets it all the same', async () => {
    assert.equal((await run('logout')).code, 0);
    await logIn();
    await file().save(api.address, { ...stored(), issuer: 'http://127.0.0.1:9' });
    const { code, stderr } = await run('logout');
    assert.deepEqual([code, /did not answer/.test(stderr)], [0, true]);
    assert.equal(file().find(api.address), null);
  });
});

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** The status of a GET whose request target is sent as it stands. */
function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path }, (response) => resolve(response.resume().statusCode));
    request.once('error', reject);
  });
}

it('an API without an identity provider says that it takes keys', async () => {
  const api = await startApi();
  try {
    const { code, stderr } = await startCli({ url: api.address }, ['login'], { env: { FAIRLEAD_KEY: '' } }).done;
    assert.deepEqual([code, /names no identity provider/.test(stderr)], [4, true]);
  } finally {
    await api.stop();
  }
});
