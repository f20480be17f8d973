import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';
import { createCodeLogin } from '../../../adapters/idp/code-login.ts';
import { createInternalKeyAuth } from '../../../api/http/caller.ts';
import { createTokenAuth } from '../../../api/http/token-auth.ts';
import { platformClients } from '../../../api/identity/platform-clients.ts';
import { serviceRow } from '../../../domain/services.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../../infra/dev/tools/resolve-tool.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../sdk/index.ts';
import { incidentRecord } from '../../ports/incidents/incident-store.ts';
import { channelRecord } from '../../ports/notifications/notification-stores.ts';
import { seriousFindings, sticksOut } from '../../support/look-at-pages.ts';
import { KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const PASSWORD = 'correct horse battery';
const { platformClient, pagesClient } = serviceRow('monitor');
const HOUR_MS = 3_600_000;

/** In a real browser without JavaScript, signed in at the real identity provider. */
describe('the pages of the uptime monitor', { timeout: 300_000 }, () => {
  let idp: TestIdp;
  let monitor: TestMonitor;
  let verifier: TokenVerifier;
  let browser: Browser;
  let shop: string;
  let rival: string;

  before(async () => {
    const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
    idp = await startIdp();
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: platformClient, revocations: { internalKey: KEY } });
    const equalsSecret = (one: string, other: string) => one === other;
    monitor = await startMonitor({
      key: KEY,
      changes: { deploys: { list: async (_target, since) => [4, 9].map((hours) => deployAfter(since, hours)) } },
      authenticate: createTokenAuth({
        internalKey: createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret }),
        ...{ verifier, platformOrg: 'platform' },
      }),
      signIn: (address) => ({
        login: createCodeLogin({
          ...{ issuer: idp.issuer, clientId: pagesClient, redirectUri: `${address}/api/auth/callback` },
        }),
      }),
    });
    const settings = { ...idp.deps.settings, serviceUrls: { monitor: monitor.address }, secrets: {} };
    const client = platformClients(settings, new Date()).find(({ clientId }) => clientId === pagesClient);
    assert.ok(client);
    await idp.deps.clients.insert(client);
    for (const org of ['acme', 'rival']) await idp.seedOrg(org);
    await idp.seedUser('ann@acme.example', { password: PASSWORD, org: 'acme', orgRoles: ['member'] });
    await idp.seedUser('amy@acme.example', { password: PASSWORD, org: 'acme', orgRoles: ['admin'] });
    await idp.seedUser('vic@acme.example', { password: PASSWORD, org: 'acme', orgRoles: ['viewer'] });
    await idp.seedUser('bob@nowhere.example', { password: PASSWORD });
    shop = await register('shop', 'acme');
    rival = await register('rival-shop', 'rival');
    await writeHistory();
    await writeEscalation();
    browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
  });
  after(async () => {
    await browser?.close();
    verifier?.close();
    await monitor?.stop();
    await idp?.stop();
  });

  async function register(serviceName: string, org: string): Promise<string> {
    const body = { serviceName, org, environment: 'prod', url: `https://${serviceName}.example.com/health` };
    const { body: reply } = await monitor.call('POST', '/api/pulse/register', body, { 'x-internal-key': KEY });
    return reply.data.id;
  }

  /** Some hours with response times and a gap, a day that was down, and an open incident. */
  async function writeHistory(): Promise<void> {
    const at = Date.now();
    const time = { upMs: 300_000, degradedMs: 0, downMs: 0, maintenanceMs: 0, checks: 10, failed: 0 };
    const slots = Array.from({ length: 140 }, (_, index) => 12 * HOUR_MS - index * 300_000).filter(
      (ago) => ago < 3 * HOUR_MS || ago > 5 * HOUR_MS,
    );
    await monitor.rollUps.write(
      slots.map((ago) => ({
        ...({
          ...time,
          monitorId: shop,
          length: '5m',
          latency: Array.from({ length: 30 }, (_, bucket) => bucket % 3),
        } as const),
        startsAt: new Date(Math.floor((at - ago) / 300_000) * 300_000),
      })),
    );
    const day = new Date((Math.floor(at / 86_400_000) - 3) * 86_400_000);
    const down = { ...time, upMs: 86_000_000, downMs: 400_000, latency: [] };
    await monitor.rollUps.write([{ ...down, monitorId: shop, length: '1d', startsAt: day }]);
    await monitor.report(shop, { verdict: { verdict: 'down', since: at - 60_000, run: null }, seenAt: at });
    await monitor.incidentCommands.begin({
      ...{ id: 'inc_shop_1', org: 'acme', monitorId: shop, sequence: 1, title: 'shop is down', isPublic: true },
      ...{ cause: 'status 500 <b>', startedAt: new Date(at - 60_000).toISOString() },
    });
  }

  /** A policy of three steps, and an incident of which two were told, the second in the place of one that had no channel left. */
  async function writeEscalation(): Promise<void> {
    const ids = ['chn_0f8fad5bd9cb469fa165', 'chn_7c9e6679f4dd4f2a8b11', 'chn_removed'];
    for (const id of ids.slice(0, 2)) await monitor.channels.insert(channelRecord({ id }));
    const steps = ids.map((id, index) => ({ waitMinutes: index * 10, channelIds: [id, ...ids.slice(0, index)] }));
    const policy = { steps, repeat: { times: 2, waitMinutes: 90 } };
    await monitor.escalations.set('acme', 'critical', policy);
    const told = [0, 2].map((step) => ({ step, at: new Date(Date.now() - 60_000), channelIds: ids.slice(0, 2) }));
    await monitor.incidents.insert(incidentRecord({ id: 'inc_told', escalation: { policy, told } }));
  }

  async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled: false, ...options });
    context.setDefaultTimeout(20_000);
    return context.newPage();
  }
  async function signIn(page: Page, email: string): Promise<void> {
    await page.fill('input[name=email]', email);
    if (!(await page.locator('input[name=password]').isVisible())) await page.click('main button');
    await page.fill('input[name=password]', PASSWORD);
    await page.click('main form:has(input[name=password]) button');
  }
  async function signedIn(email: string, path = '/dashboard', options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openPage(options);
    await page.goto(monitor.address + path);
    await signIn(page, email);
    await page.waitForURL(monitor.address + path);
    return page;
  }
  const textOf = async (page: Page): Promise<string> => (await page.locator('main').textContent()) ?? '';

  it('shows a member what their org has, lets them pause and acknowledge, and says 404 for another org', async () => {
    const page = await signedIn('ann@acme.example', `/dashboard/monitors/${shop}`);
    assert.match(await textOf(page), /Down since[\s\S]*no data|% up/);
    assert.equal(await page.locator('svg.bars[role=img]').count(), 1);
    assert.match((await page.locator('svg.bars').getAttribute('aria-label')) ?? '', /down on 1 day, last on/);
    const path = (await page.locator('.chart path.median').getAttribute('d')) ?? '';
    assert.equal(path.match(/M/g)?.length, 2, 'a time without checks is a gap');
    assert.equal(await page.locator('.chart line.deploy').count(), 2);

    await page.click('button:has-text("Pause")');
    await page.locator('button:has-text("Resume")').waitFor();
    assert.match(await textOf(page), /Paused/);
    await page.click('button:has-text("Resume")');
    await page.locator('button:has-text("Pause")').waitFor();
    assert.equal((await monitor.monitors.find(shop))?.paused, null);

    await page.goto(`${monitor.address}/dashboard/incidents/inc_shop_1`);
    assert.ok((await textOf(page)).includes('status 500 <b>'), 'what was seen is shown as it is');
    await page.click('button:has-text("Acknowledge")');
    await page.fill('#body', 'A full disk');
    await page.selectOption('#status', 'identified');
    await page.click('button:has-text("Send")');
    assert.match(await textOf(page), /identified A full disk/);
    assert.equal((await monitor.incidents.find('inc_shop_1'))?.state, 'acknowledged');

    await page.goto(`${monitor.address}/dashboard?state=down&q=shop`);
    assert.deepEqual(await page.locator('tbody th a').allTextContents(), ['shop']);
    for (const other of [`/dashboard/monitors/${rival}`, '/dashboard/monitors/mon_none']) {
      assert.equal((await page.goto(monitor.address + other))?.status(), 404);
    }
    await page.goto(`${monitor.address}/dashboard`);
    await page.click('text=Sign out');
    await page.waitForURL(`${monitor.address}/dashboard/signed-out`);
  });

  it('shows a viewer no form, takes none from them, and shows nothing to people without a role', async () => {
    const page = await signedIn('vic@acme.example', `/dashboard/monitors/${shop}`);
    assert.equal(await page.locator('main form[action*="/change"]').count(), 0);
    const [session] = (await page.context().cookies(monitor.address)).filter(
      ({ name }) => name === 'fl-monitor-session',
    );
    assert.ok(session?.httpOnly && session.sameSite === 'Lax');
    const sent = await send(`fl-monitor-session=${session.value}`, { origin: monitor.address });
    assert.equal(sent.status, 403);
    assert.equal((await monitor.monitors.find(shop))?.paused, null);
    const stranger = await signedIn('bob@nowhere.example');
    assert.match(await textOf(stranger), /for people with a role in an org/);
  });

  const send = (cookie: string, headers: Record<string, string>) =>
    fetch(`${monitor.address}/dashboard/monitors/${shop}/change`, {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ paused: 'true' }) },
      headers: { cookie, ...headers },
    });

  it('lets an admin say who is told of outages', async () => {
    const page = await signedIn('amy@acme.example', '/dashboard/escalation');
    await page.click('text=Change who is told of warning outages');
    await page.check('input[name=channels1] >> nth=0');
    await page.check('input[name=channels2] >> nth=1');
    await page.fill('input[name=wait2]', '25');
    await page.click('text=Save');
    await page.waitForURL(`${monitor.address}/dashboard/escalation`);
    assert.match(await textOf(page), /Outages of other environments[\s\S]*At once[\s\S]*25 min later/);
    await page.click('form[action$="/warning/end"] button');
    await page.waitForURL(`${monitor.address}/dashboard/escalation`);
    assert.equal((await monitor.escalations.find('acme')).warning, null);
  });

  it('takes no form that another site, or nobody, has sent, and no cookie for the API', async () => {
    const page = await signedIn('ann@acme.example');
    const [session] = (await page.context().cookies(monitor.address)).filter(
      ({ name }) => name === 'fl-monitor-session',
    );
    const cookie = `fl-monitor-session=${session?.value}`;
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: monitor.address, 'sec-fetch-site': 'same-site' },
    ]) {
      assert.equal((await send(cookie, headers as Record<string, string>)).status, 403);
    }
    assert.equal((await monitor.monitors.find(shop))?.paused, null);
    assert.equal((await monitor.call('GET', '/api/monitors', undefined, { cookie })).status, 401);
  });

  it('leads nowhere else after a login', async () => {
    for (const to of ['https://evil.example', '//evil.example', '/dashboard\\..\\evil', '/dashboards']) {
      const reply = await fetch(`${monitor.address}/dashboard/login?to=${encodeURIComponent(to)}`, {
        redirect: 'manual',
      });
      const kept = /fl-monitor-attempt=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '')?.[1] ?? '';
      assert.equal(JSON.parse(Buffer.from(kept, 'base64url').toString()).to, '/dashboard');
    }
  });

  it('can be read by everybody: WCAG 2.2 AA, 320 pixels, 200 % zoom, dark, and colours that the reader forces', async () => {
    const paths = [
      '/status/acme',
      '/dashboard',
      `/dashboard/monitors/${shop}`,
      '/dashboard/incidents',
      '/dashboard/incidents/inc_shop_1',
      '/dashboard/incidents/inc_told',
      '/dashboard/escalation',
      '/dashboard/escalation/critical',
    ];
    const found: string[] = [];
    for (const options of [
      { viewport: { width: 320, height: 800 } },
      // As a browser of 1280 pixels lays it out at 200 %.
      { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2, colorScheme: 'dark' },
      { viewport: { width: 1_280, height: 900 }, forcedColors: 'active' },
    ] as const) {
      // The check itself is a script; the pages have none.
      const page = await signedIn('amy@acme.example', '/dashboard', {
        ...options,
        javaScriptEnabled: true,
        bypassCSP: true,
      });
      for (const path of paths) {
        await page.goto(monitor.address + path);
        const wide = (await sticksOut(page)).map((what) => `sticks out: ${what}`);
        const problems = [...(await seriousFindings(page)), ...wide];
        found.push(...problems.map((problem) => `${path} at ${options.viewport.width}: ${problem}`));
        await screenshot(page, `${path.replaceAll('/', '-')}-${options.viewport.width}`);
      }
      await page.context().close();
    }
    assert.deepEqual(found, []);
  });
});

const deployAfter = (since: Date, hours: number) => ({
  ...{ buildId: `bld_${hours}`, commit: 'c0ffee1234567890c0ffee1234567890c0ffee12' },
  at: new Date(since.getTime() + hours * HOUR_MS),
});

/** For looking at while the pages are worked on. */
async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.PAGES_SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/monitor${name}.png`, fullPage: true });
}
