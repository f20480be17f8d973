import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chromium as playwright } from 'playwright-core';
import { createCredentialsFile } from '../../cli/login/credentials-file.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../infra/dev/tools/resolve-tool.ts';
import { type Browser, createBrowser } from '../api/identity/pages/browse.ts';
import { type CliResult, type RunningCli, startCli } from '../cli/run-cli.ts';
import { callProvider } from '../interop/call-provider.ts';
import { waitUntil } from '../support/wait-until.ts';
import { api, connection, copyApp, dataFolder, parts, removeService, uniqueName, visit } from './harness.ts';

const PASSWORD = 'correct horse battery';

/** Two people of two orgs on the whole stack, from the first link to the last log-out. */
describe('people on a real stack', { timeout: 300_000 }, () => {
  const name = uniqueName('people');
  const orgSlug = uniqueName('rival');
  let folder: string;
  let issuer: string;
  let admin: Browser;
  let rival: Browser;
  const running: RunningCli[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-people-'));
    await copyApp('own-dockerfile-user', join(folder, 'app'), name);
    const address = (await parts()).idp?.address;
    assert.ok(address, 'the stack has an identity provider');
    issuer = address;
    const provider = { issuer, call: callProvider.bind(null, issuer) };
    admin = createBrowser(provider);
    rival = createBrowser(provider);
  });
  after(async () => {
    for (const { child, done } of running) {
      child.kill('SIGKILL');
      await done;
    }
    await removeService(name);
    await rm(folder, { recursive: true, force: true });
  });

  /** The command line of one of the two, with a home of their own and no key. */
  async function start(who: string, ...args: string[]): Promise<RunningCli> {
    const env = { FAIRLEAD_KEY: '', HOME: folder, XDG_CONFIG_HOME: join(folder, who), DISPLAY: '' };
    const cli = startCli({ url: (await connection()).api }, args, { env });
    running.push(cli);
    return cli;
  }
  const run = async (who: string, ...args: string[]): Promise<CliResult> => (await start(who, ...args)).done;

  /** `fairlead login --device`, with the code approved by whoever is signed in to that browser. */
  async function logIn(who: string, browser: Browser): Promise<void> {
    const cli = await start(who, 'login', '--device');
    const shown = () => /\n {2}([A-Z]{4}-[A-Z]{4})\n/.exec(cli.text())?.[1];
    const userCode = await waitUntil('the code', async () => shown(), { withinMs: 30_000 });
    const confirm = await browser.submit(await browser.open('/oauth/device'), '/oauth/device', { user_code: userCode });
    const done = await browser.submit(confirm, '/oauth/device/decision', { decision: 'allow' });
    assert.equal(done.title, 'The device is connected', done.html);
    const { code, stderr } = await cli.done;
    assert.equal(code, 0, stderr);
  }
  async function tokenOf(who: string): Promise<string> {
    const file = createCredentialsFile(join(folder, who, 'fairlead', 'credentials.json'));
    const login = file.find((await connection()).api);
    assert.ok(login !== null, `${who} is logged in`);
    return login.accessToken;
  }
  /** What the builder answers to a token. */
  async function ask(token: string, path: string): Promise<{ status: number; text: string }> {
    const response = await fetch((await connection()).api + path, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, text: await response.text() };
  }

  it('the link that the start wrote makes the first admin, once', async () => {
    const link = (await readFile(join(dataFolder(), 'first-admin-link'), 'utf8')).trim();
    const { pathname, search } = new URL(link);
    const names = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', password: PASSWORD };
    const page = await admin.open(pathname + search);
    await admin.follow(await admin.submit(page, '/welcome', names));
    assert.equal((await admin.open('/account')).title, 'Your account');
    assert.equal((await rival.open(pathname + search)).status, 400);
  });

  it('logs the command line in by a code, and deploys with nothing but that login', async () => {
    await logIn('admin', admin);
    const whoami = await run('admin', 'whoami');
    assert.match(whoami.stdout, /ada@example\.com/);
    const { code, stdout, stderr } = await run('admin', 'deploy', join(folder, 'app'));
    assert.equal(code, 0, stdout + stderr);
    assert.equal((await visit(name)).status, 200);
    const token = await tokenOf('admin');
    assert.equal((await ask(token, `/services/${name}`)).status, 200);
    assert.equal(`${stdout}${stderr}${whoami.stdout}`.includes(token), false);
  });

  it('for somebody of another org the service does not exist', async () => {
    const headers = { 'x-internal-key': (await connection()).key };
    const call = (path: string, json: unknown) => callProvider(issuer, 'POST', path, { json, headers });
    assert.equal((await call('/api/v2/orgs', { slug: orgSlug, name: 'Rival' })).status, 201);
    const invited = { email: `lin@${orgSlug}.example`, role: 'admin', sendEmail: false };
    const { body } = await call(`/api/v2/orgs/${orgSlug}/invites`, invited);
    const { pathname, search } = new URL(body.data.inviteUrl);
    const names = { firstName: 'Lin', lastName: 'Clark', password: PASSWORD };
    await rival.follow(await rival.submit(await rival.open(pathname + search), '/invites/accept', names));
    await logIn('rival', rival);

    const token = await tokenOf('rival');
    const missing = await ask(token, `/services/${uniqueName('nothing')}`);
    assert.equal(missing.status, 404);
    const { data: builds } = await api<{ items: { id: string }[] }>('GET', `/builds?service=${name}`);
    const buildId = builds.items[0]?.id;
    assert.ok(buildId, 'the service has a build');
    for (const path of [
      `/services/${name}`,
      `/services/${name}/releases`,
      `/builds/${buildId}`,
      `/builds/${buildId}/logs`,
    ]) {
      assert.equal((await ask(token, path)).status, 404, path);
    }
    assert.equal((await ask(token, '/services')).text.includes(name), false);
    const status = await run('rival', 'status', name);
    assert.notEqual(status.code, 0);
    assert.equal((await visit(name)).status, 200, 'and it goes on serving');
  });

  it('the site registry is for super admins, by the same logins', async () => {
    const address = (await parts())['site-registry']?.address;
    const status = async (who: string): Promise<number> => {
      const headers = { authorization: `Bearer ${await tokenOf(who)}` };
      return (await fetch(`${address}/api/overview`, { headers })).status;
    };
    assert.deepEqual([await status('admin'), await status('rival')], [200, 403]);
  });

  it('the console shows a super admin the domains of the site registry, also without JavaScript', async (t) => {
    const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
    const browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
    t.after(() => browser.close());
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    page.setDefaultTimeout(30_000);
    const address = (await parts()).console?.address;
    await page.goto(`${address}/properties`);
    await page.fill('input[name=email]', 'ada@example.com');
    await page.fill('input[name=password]', PASSWORD);
    await page.click('main form:has(input[name=password]) button');
    await page.waitForURL(`${address}/properties`);
    assert.match((await page.locator('main').textContent()) ?? '', /No domains yet/);
  });

  it('an org that is let in has the service, lets nobody else in, and is out again from the next request on', async () => {
    const token = await tokenOf('rival');
    const added = await run('admin', 'services', 'authorize-org', name, orgSlug, '--repo-role', 'read');
    assert.equal(added.code, 0, added.stderr);
    assert.equal((await ask(token, `/services/${name}`)).status, 200);
    assert.match((await run('rival', 'services')).stdout, new RegExp(name));
    assert.equal((await run('rival', 'config', 'set', 'GREETING=hello', '--service', name)).code, 0);
    const refused = await run('rival', 'services', 'authorize-org', name, 'acme-e2e');
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /Only admins of \S+, which owns/);
    const unknown = await run('admin', 'services', 'authorize-org', name, uniqueName('nobody'));
    assert.notEqual(unknown.code, 0, 'a name that anybody could take');
    assert.equal((await run('admin', 'services', 'deauthorize-org', name, orgSlug, '--yes')).code, 0);
    assert.equal((await ask(token, `/services/${name}`)).status, 404);
    const history = (await run('admin', 'services', 'authorized-orgs', name, '--history')).stdout;
    assert.match(history, new RegExp(`${orgSlug} +deauthorized[^\\n]*\\n[^\\n]*${orgSlug} +authorized +read`));
  });

  it('after a log-out the token is refused within a second, everywhere', async (t) => {
    const token = await tokenOf('admin');
    assert.equal((await ask(token, '/services')).status, 200);
    assert.equal((await run('admin', 'logout')).code, 0);
    const from = performance.now();
    await waitUntil('the builder to refuse the token', async () => (await ask(token, '/services')).status === 401, {
      withinMs: 1_000,
      everyMs: 20,
    });
    t.diagnostic(`refused ${(performance.now() - from).toFixed(0)} ms after the command ended`);
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await callProvider(issuer, 'GET', '/api/oauth/userinfo', { headers })).status, 401);
    const later = await run('admin', 'services');
    assert.equal(later.code === 0, false, 'without a login there is no access');
    assert.equal((await ask(await tokenOf('rival'), '/services')).status, 200, 'somebody else goes on');
  });
});
