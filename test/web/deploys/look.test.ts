import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium as playwright } from 'playwright-core';
import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../../infra/dev/tools/resolve-tool.ts';
import { logLine } from '../../ports/build-log.ts';
import { buildRecord, catalogRecord, grantRecord, releaseRecord, stepOf } from '../../ports/records.ts';
import { serviceLogLine } from '../../ports/service-logs.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';
import { createInMemoryBuilderParts } from '../../support/in-memory/builder-parts.ts';
import { seriousFindings, sticksOut } from '../../support/look-at-pages.ts';

const SHOP = { serviceId: 'svc_shop', service: 'shop', org: 'acme' };
const PAGES = [
  '/builds/bld_failed',
  '/builds/bld_running',
  '/builds/bld_failed?find=npm',
  '/services/shop/builds',
  '/services/shop/releases',
  '/services/shop/config',
  '/services/shop/logs',
  '/services/shop/logs?level=warn&until=2026-01-02T00:00',
  '/grants',
];
/** A phone, 200 % of a small window, and a desk. */
const WIDTHS = [320, 360, 640, 1280];

describe('builds and what belongs to them, in a browser', () => {
  let on: ConsoleOnBuilder;
  let browser: Browser;
  let folder: string;
  before(async () => {
    const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
    folder = await mkdtemp(join(tmpdir(), 'fairlead-look-'));
    const serviceLogs = createServiceLogs({ directory: folder });
    on = await startConsoleOnBuilder({ ...createInMemoryBuilderParts(), serviceLogs });
    await fill(on);
    browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
  });
  after(async () => {
    await browser?.close();
    await on?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`have no serious finding of axe-core in ${colorScheme}, and fit on each width`, async () => {
      const { cookies } = await on.browseAs({ sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['admin'] });
      const context = await browser.newContext({ bypassCSP: true, colorScheme, baseURL: on.console.address });
      await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: on.console.address })));
      const page = await context.newPage();
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
      await context.close();
    });
  }
});

/** Something of everything that the pages show, some of it long. */
async function fill({ builder }: ConsoleOnBuilder): Promise<void> {
  const { services, builds, log, releases, grants, serviceLogs } = builder;
  for (const [name, org] of [
    ['shop', 'acme'],
    ['notes', 'acme'],
    ['pay', 'other'],
  ] as const) {
    await services.upsert({ id: `svc_${name}`, name, org }, { gitUrl: `https://git.example/${org}/${name}.git` });
  }
  const source = {
    kind: 'git',
    url: `https://git.example/${'long-'.repeat(20)}shop.git`,
    branch: 'b'.repeat(120),
    commit: null,
  } as const;
  const entry = { secret: true, required: true, default: null };
  const facts = {
    catalog: catalogRecord({
      config: [
        { ...entry, key: 'STRIPE_KEY' },
        { ...entry, key: 'L'.repeat(100), required: false },
      ],
    }),
    releaseNotes: { notes: `- Show the cart\n- ${'word'.repeat(60)}`, version: null },
  };
  const colours = Array.from(
    { length: 8 },
    (_, colour) => `\u001b[3${colour}mnpm\u001b[0m\u001b[4${colour}mground\u001b[0m \u001b[2mdim\u001b[0m`,
  );
  for (const id of ['bld_failed', 'bld_running']) {
    await builds.create(buildRecord({ ...SHOP, id, source, facts }));
    await builds.addWarnings(id, ['w'.repeat(200)]);
    await builds.addDiagnostic(id, { step: 'image-build', title: 'Last lines', lines: ['error: '.repeat(40)] });
    await log.append(id, [
      ...colours.map((text) => logLine(text)),
      logLine('x'.repeat(2_000), { level: 'warn' }),
      logLine('npm failed', { level: 'error' }),
    ]);
    await builds.markStep(id, stepOf('source'), { state: 'completed', startedAt: new Date(), finishedAt: new Date() });
    await builds.markStep(id, stepOf('image-build'), { state: 'running', startedAt: new Date() });
  }
  const failure = { code: 'IMAGE_BUILD_FAILED', message: `RUN ${'m'.repeat(200)} ended with 1`, step: 'image-build' };
  await builds.finish('bld_failed', {
    status: 'failed',
    reason: 'step_failed',
    failure,
    supersededBy: null,
    finishedAt: new Date(),
  });
  await services.setLastBuild('svc_shop', 'bld_failed');
  for (const at of [1, 2, 3]) {
    const config = { [`ADDED_${at}`]: '1', SHARED: `${at}` };
    await releases.put(
      releaseRecord({
        ...SHOP,
        id: `rel_${at}`,
        buildId: 'bld_failed',
        config,
        secrets: {},
        commitSha: `${at}`.repeat(40),
      }),
    );
    await releases.activate(`rel_${at}`, { at: new Date(2026, 0, at), epoch: at, buildId: 'bld_failed' });
  }
  await builder.call('PATCH', '/services/shop/config', {
    set: { COLOUR: 'v'.repeat(300) },
    secrets: { API_TOKEN: 'x' },
  });
  const parties = [
    ['svc_pay', 'pay', 'other'],
    ['svc_notes', 'notes', 'acme'],
  ].map(([serviceId = '', name = '', org = '']) => ({ serviceId, name, org }));
  const [pay, notes] = parties;
  assert.ok(pay && notes);
  await grants.insert(
    grantRecord({ id: 'sgr_1', holder: pay, target: notes, scopes: ['notes:read', `notes:${'s'.repeat(80)}`] }),
  );
  await grants.insert(grantRecord({ id: 'sgr_2', holder: notes, target: pay, status: 'approved', granted: [] }));
  const written = await (await serviceLogs.takeOver()).open({ serviceId: 'svc_shop', environment: 'prod' });
  await written.append([serviceLogLine('GET / 200'), serviceLogLine('y'.repeat(2_000), { stream: 'error' })]);
  await written.close();
}
