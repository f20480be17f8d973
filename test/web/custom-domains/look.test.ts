import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium as playwright } from 'playwright-core';
import type { DomainHolder } from '../../../domain/custom-domains/custom-domain.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../../infra/dev/tools/resolve-tool.ts';
import { heldName } from '../../ports/custom-domains/records.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';
import { seriousFindings, sticksOut } from '../../support/look-at-pages.ts';

const ADMIN = { sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['admin'] };
const PATH = '/services/shop/domains';
const LONG = `${'l'.repeat(63)}.${'m'.repeat(63)}.example-of-a-long-name.com`;
const WIDTHS = [320, 360, 640, 1280];
const NAMES = ['active', 'waits', 'proof', 'registrar', 'failed', 'lost', 'going'].map((name) => `${name}.pages.com`);

describe('custom domains, in a browser', () => {
  let on: ConsoleOnBuilder;
  let browser: Browser;
  before(async () => {
    const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
    on = await startConsoleOnBuilder();
    await fill(on);
    browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
  });
  after(async () => {
    await browser?.close();
    await on?.stop();
  });

  async function signedIn(options: Parameters<Browser['newContext']>[0] = {}) {
    const { cookies } = await on.browseAs(ADMIN);
    const context = await browser.newContext({ baseURL: on.console.address, ...options });
    context.setDefaultTimeout(20_000);
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: on.console.address })));
    return { context, page: await context.newPage() };
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`have no serious finding of axe-core in ${colorScheme}, and fit on each width`, async () => {
      const { context, page } = await signedIn({ bypassCSP: true, colorScheme });
      for (const path of [PATH, '/services/bare/domains', ...[...NAMES, LONG].map((name) => `${PATH}/${name}`)]) {
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
      await context.close();
    });
  }

  it('values are copied by a button, which says so; without a script there is none, and forms work', async () => {
    const { context, page } = await signedIn({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${PATH}/waits.pages.com`);
    await page.getByRole('button', { name: 'Copy the value of the A record' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' });
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), '192.0.2.7');
    await context.close();

    const bare = await signedIn({ javaScriptEnabled: false });
    await bare.page.goto(`${PATH}/waits.pages.com`);
    assert.equal(await bare.page.locator('[data-copy]:visible').count(), 0);
    assert.equal(await bare.page.getByText('192.0.2.7', { exact: true }).first().isVisible(), true);
    await bare.page.goto(PATH);
    await bare.page.getByRole('textbox', { name: 'Name' }).fill('typed.pages.com');
    await bare.page.getByRole('button', { name: 'Add the domain' }).click();
    await bare.page.getByRole('heading', { name: 'typed.pages.com' }).waitFor();
    await bare.page.getByText('Remove the domain').click();
    await bare.page.getByRole('button', { name: 'Remove it' }).click();
    await bare.page.getByText('typed.pages.com is removed.').waitFor();
    await bare.context.close();
  });
});

/** A name in each state, some of it long. */
async function fill({ builder }: ConsoleOnBuilder): Promise<void> {
  const { services, domains } = builder;
  for (const name of ['shop', 'bare']) await services.upsert({ id: `svc_${name}`, name, org: 'acme' }, {});
  const at = (daysFromNow: number) => new Date(Date.now() + daysFromNow * 86_400_000);
  const said = `ns1.registrar.net has A 198.51.100.4; ns2.${'n'.repeat(60)}.net did not answer (SERVFAIL)`;
  const reason = `set A shop.pages.com to 192.0.2.7 and have no other address record: ${said}`;
  const proof = { name: '_fairlead.proof.pages.com', value: `fairlead-verify=${'0123456789'.repeat(4)}` };
  const owned = { ownedSince: at(-3), verifiedAt: at(-2), certificate: { notAfter: at(60), servedAt: at(-0.1) } };
  const zone: DomainHolder['zone'] = {
    ...{ id: 'zone_1', name: 'pages.com', created: true },
    status: 'pending',
    nameServers: ['ada.ns-provider.com', 'bob.ns-provider.com'],
    originalNameServers: ['ns1.registrar.net', 'ns2.registrar.net'],
  };
  const names: Readonly<Record<string, Partial<DomainHolder>>> = {
    [LONG]: { reason, environment: 'sandbox' },
    'active.pages.com': { ...owned, state: 'active', canonical: true, hsts: true },
    'waits.pages.com': { reason, resolvedTarget: 'A 198.51.100.4' },
    'proof.pages.com': { state: 'pending-proof', proof, reason: `set TXT ${proof.name} to ${proof.value}: ${said}` },
    'registrar.pages.com': { mode: 'cloudflare', state: 'pending-delegation', zone, reason: 'set the name servers' },
    'failed.pages.com': { state: 'failed', reason: `30 days have passed: ${reason}` },
    'lost.pages.com': { ...owned, state: 'active', reason },
    'going.pages.com': { removingSince: at(0) },
  };
  for (const [domain, fields] of Object.entries(names)) {
    const of = { serviceId: 'svc_shop', service: 'shop', org: 'acme', observedAt: at(-0.01) };
    await domains.insert(heldName({ ...of, ...fields }, { domain, apex: 'pages.com' }));
  }
}
