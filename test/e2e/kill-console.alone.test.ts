import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../infra/dev/tools/resolve-tool.ts';
import { callProvider } from '../interop/call-provider.ts';
import { startConsoleProcess } from '../support/console-process.ts';
import { connection, dataFolder, ended, logText, parts, trigger, uniqueName } from './harness.ts';
import { killPart } from './kill-part.ts';
import { sampleService } from './sample-service.ts';

const COUNTED = 50;
/** Prints a numbered line every tenth of a second, in colour. */
const COUNT = `RUN i=0; while [ $i -lt ${COUNTED} ]; do i=$((i+1)); printf '\\033[32mcounted %s\\033[0m\\n' $i; sleep 0.1; done`;
const PATIENCE_MS = 180_000;

let browser: Browser;
before(async () => {
  const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
  browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
});
after(() => browser?.close());

/** Somebody of an org of their own, who is invited and signs up in a browser. */
async function signUp(page: Page, org: string): Promise<void> {
  const issuer = (await parts()).idp?.address ?? '';
  const headers = { 'x-internal-key': (await connection()).key };
  const call = (path: string, json: unknown) => callProvider(issuer, 'POST', path, { json, headers });
  assert.equal((await call('/api/v2/orgs', { slug: org, name: 'Acme' })).status, 201);
  const invited = { email: `ann@${org}.example`, role: 'admin', sendEmail: false };
  const { body } = await call(`/api/v2/orgs/${org}/invites`, invited);
  await page.goto(body.data.inviteUrl);
  await page.fill('[name=firstName]', 'Ann');
  await page.fill('[name=lastName]', 'Lovelace');
  await page.fill('[name=password]', 'correct horse battery');
  await page.locator('button[type=submit], form button').last().click();
  await page.waitForLoadState();
}

/** Follows the log of a build that counts, in the browser of somebody who has signed up; `kill` comes in the middle. */
async function followKilled(consoleUrl: string, kill: () => Promise<void>): Promise<void> {
  const org = uniqueName('acme');
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await signUp(page, org);
  await page.goto((await parts()).console?.address ?? '');
  await using app = await sampleService('console', { instructions: COUNT, org });
  const { buildId } = await trigger(app.name);
  await page.goto(`${consoleUrl}/builds/${buildId}`);
  const line = (number: number) => page.locator('.log-line .t-2', { hasText: new RegExp(`^counted ${number}$`) });
  await line(10).waitFor();
  await kill();
  await page.locator('.badge', { hasText: /Completed|Failed/ }).waitFor();
  const { status } = await ended(buildId, PATIENCE_MS);
  assert.equal(status, 'completed');
  assert.equal(await page.locator('.badge', { hasText: 'Completed' }).count(), 1);
  const shown = await page.locator('.log-line').evaluateAll((lines) => lines.map(({ id }) => Number(id.slice(1))));
  assert.deepEqual(
    shown,
    Array.from({ length: shown.length }, (_, at) => at + 1),
  );
  const whole = (await logText(buildId)).split('\n').length;
  assert.equal(shown.length, whole, 'up to its last line');
  for (const number of [1, 25, COUNTED]) assert.ok((await line(number).count()) > 0, `counted ${number}`);
  await page.locator('a', { hasText: app.name }).first().click();
  await page.locator('text=Live').first().waitFor();
  await context.close();
}

it('the API and the console killed while a build is followed: every line is there once, and the page goes on', async () => {
  const address = (await parts()).console?.address;
  assert.ok(address, 'the stack has a console');
  await followKilled(address, () => killPart('api'));
});

it('the console alone killed while a build is followed: the session holds, every line is there once, and the page goes on', async () => {
  await using own = await startConsoleProcess(dataFolder(), await parts());
  await followKilled(own.url, own.kill);
});
