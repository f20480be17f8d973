import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, type BrowserContext, chromium as playwright } from 'playwright-core';
import { createCodeLogin } from '../../adapters/idp/code-login.ts';
import { platformClients } from '../../api/identity/platform-clients.ts';
import { revokeUser } from '../../api/identity/revocation/revoke.ts';
import type { UserRecord } from '../../domain/identity/user.ts';
import { serviceRow } from '../../domain/services.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../infra/dev/tools/resolve-tool.ts';
import { createTokenVerifier, type TokenVerifier } from '../../sdk/index.ts';
import { createHttpPlatform } from '../../web/platform/http-platform.ts';
import { startApi, type TestApi } from '../support/start-api.ts';
import { createBrowser, startConsole, type TestConsole } from '../support/start-console.ts';
import { KEY, startIdp, type TestIdp } from '../support/start-idp.ts';
import { waitUntil } from '../support/wait-until.ts';

const PASSWORD = 'correct horse battery';

/** Console, identity provider and builder as they are, with a browser that signs in. */
describe('a session at the real identity provider', () => {
  let idp: TestIdp;
  let api: TestApi;
  let verifier: TokenVerifier;
  let console: TestConsole;
  let browser: Browser;
  let ann: UserRecord;

  before(async () => {
    const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
    idp = await startIdp({ database: 'server' });
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'builder', revocations: { internalKey: KEY } });
    api = await startApi({ verifier, issuer: idp.issuer });
    const clientId = serviceRow('console').pagesClient;
    const urls = { idp: idp.issuer, builder: api.address };
    console = await startConsole({
      depsAt: (address) => ({
        login: createCodeLogin({ issuer: idp.issuer, clientId, redirectUri: `${address}/api/auth/callback` }),
        platformAs: createHttpPlatform({ urls }),
        addresses: urls,
      }),
    });
    const settings = { ...idp.deps.settings, serviceUrls: { console: console.address }, secrets: {} };
    const client = platformClients(settings, new Date()).find((one) => one.clientId === clientId);
    assert.ok(client);
    await idp.deps.clients.insert(client);
    for (const org of ['acme', 'rival']) await idp.seedOrg(org);
    ann = await idp.seedUser('ann@acme.example', { password: PASSWORD, org: 'acme', orgRoles: ['admin'] });
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    await api.services.upsert({ id: 'svc_secret', name: 'secret', org: 'rival' }, {});
    browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
  });
  after(async () => {
    await browser?.close();
    await console?.stop();
    verifier?.close();
    await api?.stop();
    await idp?.stop();
  });

  async function signIn(path = '/services'): Promise<BrowserContext> {
    const context = await browser.newContext();
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    await page.goto(console.address + path);
    await page.fill('input[name=email]', 'ann@acme.example');
    if (!(await page.locator('input[name=password]').isVisible())) await page.click('main button');
    await page.fill('input[name=password]', PASSWORD);
    await page.click('main form:has(input[name=password]) button');
    await page.waitForURL(console.address + path);
    return context;
  }

  /** The cookies of a browser in the hands of a program. */
  async function cookiesOf(context: BrowserContext) {
    const program = createBrowser(console.address);
    for (const { name, value } of await context.cookies(console.address)) program.cookies.set(name, value);
    return program;
  }

  it('shows what the person may see; what is of another org is not there', async () => {
    const context = await signIn();
    const [page] = context.pages();
    assert.ok(page);
    // On a busy machine a part may not answer in time, which the page says.
    await waitUntil('the services of the org', async () => {
      if (/shop/.test((await page.locator('main').textContent()) ?? '')) return true;
      await page.reload();
      return false;
    });
    assert.doesNotMatch(await page.content(), /secret/);
    assert.equal((await page.goto(`${console.address}/services/secret`))?.status(), 404);
    assert.equal((await page.goto(`${console.address}/installation`))?.status(), 403);
    const cookies = await context.cookies(console.address);
    for (const cookie of cookies) {
      assert.ok(cookie.httpOnly && cookie.sameSite === 'Lax', cookie.name);
      assert.ok(cookie.name.length + cookie.value.length < 4_000, `${cookie.name} is ${cookie.value.length} long`);
    }
    await context.close();
  });

  it('is refreshed once by many requests at once, and goes on', async () => {
    const context = await signIn();
    const program = await cookiesOf(context);
    program.cookies.delete('fl-console-access');
    const cookie = [...program.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const response = await fetch(`${console.address}/services`, { headers: { cookie }, redirect: 'manual' });
        return response.status;
      }),
    );
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal((await program.get('/services')).status, 200);
    assert.equal((await program.get('/services')).status, 200);
    await context.close();
  });

  it('that the person ends is good for nobody who has a copy of its cookies', async () => {
    const context = await signIn();
    const thief = await cookiesOf(context);
    const [page] = context.pages();
    assert.ok(page);
    // 503 while a busy machine let the list of revocations become old.
    await waitUntil('the copy is good', async () => (await thief.get('/services')).status === 200);
    await page.click('button[aria-label="Sign out"]');
    await page.waitForURL(`${console.address}/signed-out`);
    await waitUntil('the copy is refused', async () => (await thief.get('/services')).status === 401, {
      withinMs: 15_000,
    });
    await context.close();
  });

  it('that is revoked ends the page that is open, and the next one says to sign in again', async () => {
    const context = await signIn('/');
    const [page] = context.pages();
    assert.ok(page);
    await page.waitForLoadState('load');
    await revokeUser(idp.deps, null, ann.id, { actor: 'test', reason: 'test' });
    await page.locator('#live-lost').waitFor({ state: 'visible' });
    assert.match((await page.locator('#live-lost').textContent()) ?? '', /session has ended/);
    const next = await page.goto(`${console.address}/services`);
    assert.equal(next?.status(), 401);
    assert.match((await page.locator('main').textContent()) ?? '', /Sign in again/);
    const kept = await context.cookies(console.address);
    assert.deepEqual(
      kept.filter(({ name }) => name.startsWith('fl-console-')),
      [],
    );
    await context.close();
  });
});
