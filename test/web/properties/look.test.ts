import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../../infra/dev/tools/resolve-tool.ts';
import { seriousFindings, sticksOut } from '../../support/look-at-pages.ts';
import { SAMPLE_JOBS, type SampleSites, startSampleSites } from '../../support/sample-sites.ts';

const WIDTHS = [320, 360, 640, 800, 1280];
const PAGES = [
  '/properties',
  '/properties/list',
  '/properties/list?status=error&family=none',
  ...['hand.com', 'failed.com', 'sold.com', 'late.com', 'cars.com', 'far.com'].map((domain) => `/properties/${domain}`),
  ...['', '?days=7', '?days=90&rows=200', '?type=image'].map((query) => `/properties/cars.com/search${query}`),
  ...['/properties/far.com/search', ...SAMPLE_JOBS.map((id) => `/properties/jobs/${id}`)],
];

describe('Properties and search numbers, in a browser', () => {
  let on: SampleSites;
  let browser: Browser;
  before(async () => {
    const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
    on = await startSampleSites();
    browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
  });
  after(async () => {
    await browser?.close();
    await on?.stop();
  });

  async function signedIn(options: BrowserContextOptions = {}): Promise<Page> {
    const { address, cookies } = on.root;
    const context = await browser.newContext({ baseURL: address, ...options });
    context.setDefaultTimeout(30_000);
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: address })));
    return context.newPage();
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`have no serious finding of axe-core in ${colorScheme}, and fit on each width`, async () => {
      const page = await signedIn({ bypassCSP: true, colorScheme });
      for (const path of PAGES) {
        assert.equal((await page.goto(path))?.status(), 200, path);
        // What is folded has to fit as well.
        await page.locator('details').evaluateAll((all) => {
          for (const one of all) one.setAttribute('open', '');
        });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          assert.deepEqual(await sticksOut(page), [], `${path} at ${width} px`);
          if (width === 1280 || (width === 360 && colorScheme === 'light')) {
            assert.deepEqual(await seriousFindings(page), [], `${path} at ${width} px, ${colorScheme}`);
          }
        }
      }
      await page.context().close();
    });
  }

  it('say nothing to the console of the browser: charts need no style that the policy forbids', async () => {
    const page = await signedIn();
    const complaints: string[] = [];
    page.on('console', (message) => void complaints.push(message.text()));
    page.on('pageerror', (error) => void complaints.push(error.message));
    for (const path of PAGES) {
      await page.goto(path, { waitUntil: 'load' });
      assert.deepEqual(complaints, [], path);
    }
    await page.context().close();
  });

  it('lead from the estate to the record and to the charts on a phone without JavaScript', async () => {
    const page = await signedIn({ javaScriptEnabled: false, viewport: { width: 320, height: 800 } });
    await page.goto('/properties');
    await page.click('text=hand.com');
    const dated = await page.locator('.steps-dated > li').first().boundingBox();
    assert.ok(dated !== null && dated.height < 100, 'its words do not stand one below the other beside the date');
    assert.match((await page.locator('#record').locator('xpath=ancestor::section').textContent()) ?? '', /TXT/);
    await page.click('text=Check now');
    await page.waitForSelector('text=Not verified yet');
    await page.goto('/properties/list?status=verified');
    await page.click('text=cars.com');
    await page.click('.tabs >> text=Search');
    const drawn = await page.locator('.chart-line').first().boundingBox();
    assert.ok(drawn !== null && drawn.width > 200 && drawn.height > 10, 'the line is drawn');
    await page.click('text=7 days');
    await page.waitForURL(/days=7/);
    await page.context().close();
  });
});
