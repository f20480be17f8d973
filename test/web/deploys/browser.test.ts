import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium as playwright } from 'playwright-core';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../../infra/dev/tools/resolve-tool.ts';
import { logLine } from '../../ports/build-log.ts';
import { buildRecord, stepOf } from '../../ports/records.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';
import { createInMemoryBuilderParts } from '../../support/in-memory/builder-parts.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';
import { type SwitchableProxy, startSwitchableProxy } from '../../support/switchable-proxy.ts';

const MEMBER = { sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['member'] };
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => logLine(`line ${from + index}`));

/** In a real browser, with the script and without it. */
describe('the page of a build in a browser', () => {
  let on: ConsoleOnBuilder;
  let proxy: SwitchableProxy;
  let browser: Browser;
  let second: TestApi | null = null;
  const parts = createInMemoryBuilderParts();
  before(async () => {
    const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
    proxy = await startSwitchableProxy();
    on = await startConsoleOnBuilder(parts, proxy.address);
    proxy.lead(on.builder.address);
    await parts.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
  });
  after(async () => {
    await browser?.close();
    await on?.stop();
    await second?.stop();
    await proxy?.stop();
  });

  const begin = async (id: string) => {
    await parts.builds.create(buildRecord({ serviceId: 'svc_shop', service: 'shop', org: 'acme', id }));
    await parts.log.append(id, lines(1, 3));
  };
  const end = (id: string) =>
    parts.builds.finish(id, {
      ...{ status: 'completed', reason: null, failure: null, supersededBy: null, finishedAt: new Date() },
    });
  const openPage = async (options: BrowserContextOptions = {}) => {
    const { cookies } = await on.browseAs(MEMBER);
    const context = await browser.newContext({ baseURL: on.console.address, ...options });
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: on.console.address })));
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) complaints.push(message.text());
    });
    return { page, complaints, close: () => context.close() };
  };
  const numbers = (from: number, to: number) => lines(from, to).map(({ text }) => text);

  it('follows the log while the builder is killed and comes back, without missing or repeating a line', async () => {
    await begin('bld_kill');
    const { page, complaints, close } = await openPage();
    await page.goto('/builds/bld_kill');
    const log = page.locator('.log-line .log-text');
    await parts.log.append('bld_kill', lines(4, 5));
    await page.locator('#L5').waitFor();
    proxy.lead(null);
    await parts.log.append('bld_kill', lines(6, 8));
    await parts.builds.markStep('bld_kill', stepOf('source'), { state: 'running', startedAt: new Date() });
    second = await startApi(on.tokens, null, parts);
    proxy.lead(second.address);
    await page.locator('#L8').waitFor();
    await page.locator('.badge', { hasText: 'Fetching the source' }).waitFor();
    await parts.log.append('bld_kill', lines(9, 9));
    await end('bld_kill');
    await page.locator('.badge', { hasText: 'Completed' }).waitFor();
    assert.deepEqual(await log.allTextContents(), numbers(1, 9));
    assert.equal(await page.locator('button', { hasText: 'Cancel the build' }).count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('keeps the end of a log in sight, and leaves whoever reads above it where they are', async () => {
    await begin('bld_scroll');
    await parts.log.append('bld_scroll', lines(4, 200));
    const { page, close } = await openPage();
    await page.goto('/builds/bld_scroll');
    const fromEnd = () =>
      page.locator('.log').evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));
    await parts.log.append('bld_scroll', lines(201, 210));
    await page.locator('#L210').waitFor({ state: 'attached' });
    assert.ok((await fromEnd()) < 2);
    await page.locator('.log').evaluate((box) => box.scrollTo(0, 0));
    await parts.log.append('bld_scroll', lines(211, 211));
    await page.locator('#L211').waitFor({ state: 'attached' });
    assert.equal(await page.locator('.log').evaluate((box) => box.scrollTop), 0);
    await close();
  });

  it('holds no stream for a page that nobody looks at, and goes on where it was when somebody does', async () => {
    await begin('bld_hidden');
    const { page, close } = await openPage();
    await page.clock.install();
    await page.goto('/builds/bld_hidden');
    await parts.log.append('bld_hidden', lines(4, 4));
    await page.locator('#L4').waitFor();
    const show = (visibilityState: string) =>
      page.evaluate((value) => {
        const { document } = globalThis as unknown as { document: EventTarget };
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, visibilityState);
    const isLive = (request: { url(): string }) => request.url().includes('/live/builds/bld_hidden');
    const closed = Promise.race([
      page.waitForEvent('requestfailed', isLive),
      page.waitForEvent('requestfinished', isLive),
    ]);
    await show('hidden');
    await page.clock.fastForward(31_000);
    await closed;
    await parts.log.append('bld_hidden', lines(5, 6));
    await show('visible');
    await page.locator('#L6').waitFor();
    assert.deepEqual(await page.locator('.log-line .log-text').allTextContents(), numbers(1, 6));
    await close();
  });

  it('leads to a line of the log, also to one that is in another part of it', async () => {
    await begin('bld_line');
    await parts.log.append('bld_line', lines(4, 1_200));
    await end('bld_line');
    const { page, close } = await openPage();
    await page.goto('/builds/bld_line#L1150');
    assert.equal(await page.locator('.log-line:target .log-text').textContent(), 'line 1150');
    await page.goto('/');
    await page.goto('/builds/bld_line#L123');
    await page.waitForURL(/at=123#L123$/);
    assert.equal(await page.locator('.log-line:target .log-text').textContent(), 'line 123');
    await page.locator('#L124 .log-number').click();
    assert.match(page.url(), /at=124#L124$/);
    await close();
  });

  it('works without a script: the log so far, a way to refresh it, and its forms', async () => {
    await begin('bld_plain');
    const { page, close } = await openPage({ javaScriptEnabled: false });
    await page.goto('/builds/bld_plain');
    assert.deepEqual(await page.locator('.log-text').allTextContents(), numbers(1, 3));
    await parts.log.append('bld_plain', lines(4, 4));
    await page.locator('a', { hasText: 'Refresh' }).click();
    assert.deepEqual(await page.locator('.log-text').allTextContents(), numbers(1, 4));
    await page.locator('summary', { hasText: 'Cancel' }).click();
    await page.locator('button', { hasText: 'Cancel the build' }).click();
    await page.locator('[role=alert]', { hasText: 'No workflow runs build bld_plain' }).waitFor();
    await page.locator('input[name=find]').fill('line 2');
    await page.locator('button', { hasText: 'Search' }).click();
    assert.deepEqual(await page.locator('mark').allTextContents(), ['line 2']);
    await close();
  });
});
