import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../infra/dev/tools/resolve-tool.ts';
import { seriousFindings, sticksOut } from '../support/look-at-pages.ts';
import { createSamplePlatform, SAMPLE, SAMPLE_BUILDS } from '../support/sample-platform.ts';
import { startConsole, type TestConsole } from '../support/start-console.ts';

const PAGES = [
  '/',
  '/services',
  '/services/shop',
  '/services/upload-only',
  '/start',
  '/start/shop',
  '/plan?gitUrl=https%3A%2F%2Fgit.example%2Facme%2Fcart.git&name=cart&branch=main&appPath=apps%2Fcart',
  '/installation',
  '/style-guide',
  '/nothing',
];
/** A phone, 200 % of a small window, and a desk. */
const WIDTHS = [320, 360, 640, 1280];

describe('the pages of the console, in a browser', () => {
  let console: TestConsole;
  let browser: Browser;
  let builds = SAMPLE_BUILDS;
  before(async () => {
    const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
    console = await startConsole({
      person: { email: 'ann.lovelace@acme.example', platformRoles: ['super_admin'] },
      platform: createSamplePlatform({ ...SAMPLE, 'GET builder /builds': () => ({ items: builds, nextCursor: null }) }),
    });
    browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
  });
  after(async () => {
    await browser?.close();
    await console?.stop();
  });

  async function signedIn(options: BrowserContextOptions = {}): Promise<Page> {
    const program = console.browse();
    await program.signIn();
    const context = await browser.newContext(options);
    context.setDefaultTimeout(20_000);
    await context.addCookies([...program.cookies].map(([name, value]) => ({ name, value, url: console.address })));
    return context.newPage();
  }

  it('would be found wanting, were something wrong with them', async () => {
    const page = await signedIn({ bypassCSP: true, viewport: { width: 360, height: 800 } });
    await page.goto(`${console.address}/start`);
    await page.evaluate(`document.querySelector('main').innerHTML = '<img src="/x"><p style="width: 400px">wide</p>'`);
    assert.match((await seriousFindings(page)).join(), /image-alt/);
    assert.notDeepEqual(await sticksOut(page), []);
    await page.context().close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`have no serious finding of axe-core in ${colorScheme}, and fit on each width`, async () => {
      const page = await signedIn({ bypassCSP: true, colorScheme });
      for (const path of PAGES) {
        await page.goto(console.address + path);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          assert.deepEqual(await sticksOut(page), [], `${path} at ${width} px`);
          // Colours are the same on each width.
          if (width === 1280 || (width === 360 && colorScheme === 'light')) {
            assert.deepEqual(await seriousFindings(page), [], `${path} at ${width} px, ${colorScheme}`);
          }
        }
      }
      await page.context().close();
    });
  }

  it('are found by keyboard alone: skip link, menu, and forms', async () => {
    const page = await signedIn({ viewport: { width: 360, height: 800 } });
    await page.goto(`${console.address}/services`);
    const focused = () => page.evaluate('document.activeElement.textContent.trim()');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'main');
    await page.goto(`${console.address}/services`);
    for (let presses = 0; (await focused()) !== 'Menu' && presses < 10; presses += 1) await page.keyboard.press('Tab');
    assert.equal(await page.locator('#menu').isVisible(), false);
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('#menu').isVisible(), true);
    for (let presses = 0; (await focused()) !== 'Overview' && presses < 10; presses += 1) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(`${console.address}/`);
    await page.context().close();
  });

  it('lead a newcomer from an address to the build, with the script and without', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await signedIn({ javaScriptEnabled, viewport: { width: 360, height: 800 } });
      await page.goto(console.address);
      await page.click('text=Deploy');
      await page.fill('input[name=gitUrl]', 'git.example/acme/shop');
      await page.click('text=Show the plan');
      await page.waitForURL(`${console.address}/start/shop`);
      assert.match((await page.locator('main').textContent()) ?? '', /Build the image/);
      await page.click('text=Deploy now');
      await page.waitForURL(`${console.address}/builds/bld_running`);
      await page.context().close();
    }
  });

  it('change while they are open, as what they show does', async () => {
    const page = await signedIn();
    await page.goto(console.address);
    const failing = page.locator('[data-region=attention]', { hasText: 'mailer' });
    await failing.waitFor();
    builds = SAMPLE_BUILDS.filter(({ id }) => id !== 'bld_broken');
    try {
      await failing.waitFor({ state: 'detached' });
      assert.match((await page.locator('[data-region=attention]').textContent()) ?? '', /Nothing fails/);
    } finally {
      builds = SAMPLE_BUILDS;
    }
    await page.context().close();
  });

  it('say nothing to the console of the browser', async () => {
    const page = await signedIn();
    const complaints: string[] = [];
    page.on('console', (message) => void complaints.push(message.text()));
    page.on('pageerror', (error) => void complaints.push(error.message));
    for (const path of PAGES.filter((one) => one !== '/nothing')) {
      await page.goto(console.address + path, { waitUntil: 'load' });
    }
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
});
