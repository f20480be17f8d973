import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../infra/dev/tools/resolve-tool.ts';
import { callProvider } from '../interop/call-provider.ts';
import {
  completed,
  connection,
  createService,
  parts,
  type Repository,
  removeService,
  repositoryOf,
  uniqueName,
  visit,
} from './harness.ts';

const PASSWORD = 'correct horse battery';

/** A newcomer on the whole stack, with a phone and nothing but the address of the console. */
describe('the console on a real stack', { timeout: 300_000 }, () => {
  const name = uniqueName('console');
  let repository: Repository;
  let browser: Browser;
  let page: Page;
  let address: string;
  const complaints: string[] = [];

  before(async () => {
    const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
    repository = await repositoryOf('express-npm', name);
    await createService(name, { gitUrl: repository.path });
    address = (await parts()).console?.address ?? '';
    browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
    const context = await browser.newContext({ viewport: { width: 360, height: 800 } });
    context.setDefaultTimeout(30_000);
    page = await context.newPage();
    page.on('pageerror', ({ message }) => void complaints.push(message));
  });
  after(async () => {
    await browser?.close();
    await removeService(name);
    await repository?.[Symbol.asyncDispose]();
  });

  it('asks who is not signed in to sign in at the provider, and brings them back', async () => {
    const email = `${name}@example.com`;
    const { idp } = await parts();
    const headers = { 'x-internal-key': (await connection()).key };
    const json = { email, role: 'admin', sendEmail: false };
    const { body, text } = await callProvider(idp?.address ?? '', 'POST', '/api/v2/orgs/platform/invites', {
      json,
      headers,
    });
    assert.ok(body.data?.inviteUrl, text);
    await page.goto(body.data.inviteUrl);
    await page.fill('input[name=firstName]', 'Lin');
    await page.fill('input[name=lastName]', 'Clark');
    await page.fill('input[name=password]', PASSWORD);
    await page.click('main form:has(input[name=password]) button');
    await page.waitForURL(/\/account/);
    await page.goto(`${address}/services`);
    await page.waitForURL(`${address}/services`);
    assert.match((await page.locator('body').textContent()) ?? '', new RegExp(email));
  });

  it('takes what is to be deployed, shows the plan, deploys, and has the address of the service', async () => {
    await page.goto(`${address}/start`);
    // Only an administrator of the platform names a folder of the machine; the service is there by its name.
    await page.fill('input[name=gitUrl]', name);
    await page.click('text=Show the plan');
    await page.waitForURL(`${address}/start/${name}`);
    assert.ok((await page.locator('.plan li').count()) > 3, 'the steps of the plan');
    await page.click('text=Deploy now');
    await page.waitForURL(/\/builds\/bld_/);
    await completed(page.url().split('/').at(-1) ?? '');
    await page.goto(`${address}/services/${name}`);
    const link = await page.locator('.tile-url a').getAttribute('href');
    assert.match(link ?? '', new RegExp(name));
    assert.equal((await visit(name)).status, 200);
    await page.goto(address);
    assert.match((await page.locator('main').textContent()) ?? '', new RegExp(name));
    assert.deepEqual(complaints, []);
  });
});
