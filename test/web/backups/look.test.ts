import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium as playwright } from 'playwright-core';
import { BACKUP_STATUSES, type Backup } from '../../../domain/backups/backup.ts';
import { addNights, nightOf } from '../../../domain/backups/night.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../../infra/dev/tools/resolve-tool.ts';
import { backupRecord, restoreRecord } from '../../support/backup-record.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';
import { seriousFindings, sticksOut } from '../../support/look-at-pages.ts';

const ROOT = { sub: 'usr_root', orgSlug: 'platform', orgRoles: ['admin'], roles: ['super_admin'] };
const LONG = 'l'.repeat(39);
const PATH = '/services/shop/databases';
const PAGES = [
  ...['/', '/databases', PATH, `${PATH}/backups/bak_good`, `${PATH}/backups/bak_running`, `${PATH}/backups/bak_bad`],
  ...[`${PATH}/restores/rst_running`, `${PATH}/restores/rst_failed`, '/services/bare/databases'],
];
const WIDTHS = [320, 360, 640, 1280];

describe('databases and backups, in a browser', () => {
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

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`have no serious finding of axe-core in ${colorScheme}, and fit on each width`, async () => {
      const { cookies } = await on.browseAs(ROOT);
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
  const { services, backups, restores, databases } = builder;
  for (const name of ['shop', 'bare', LONG]) await services.upsert({ id: `svc_${name}`, name, org: 'acme' }, {});
  databases.set('svc_shop/prod', [{ engine: 'postgres', databaseName: 'shop_prod' }]);
  databases.set('svc_shop/uat', [
    { engine: 'mongodb', databaseName: 'shop_uat' },
    { engine: 'postgres', databaseName: 'shop_uat' },
  ]);
  const problem = { code: 'DUMP_FAILED', message: `pg_dump ended with 1: ${'m'.repeat(200)}` };
  const keep = (fields: Partial<Backup>) => backups.insert(backupRecord({ startedAt: new Date(), ...fields }));
  for (let ago = 0; ago < 92; ago += 1) {
    const night = addNights(nightOf(new Date()), -ago);
    const status = BACKUP_STATUSES[ago % BACKUP_STATUSES.length] ?? 'completed';
    const isGood = status === 'completed' || status === 'running' || status === 'pruned';
    await keep({
      ...{ id: `bak_${ago}`, night, status, problem: isGood ? null : problem },
      startedAt: new Date(`${night}T00:00:01.000Z`),
      verification: ago % 12 === 1 ? { at: new Date(), problem: null } : null,
    });
  }
  const long = { serviceId: `svc_${LONG}`, service: LONG, databaseName: `${LONG}_prod` };
  await keep({ ...long, id: 'bak_long', status: 'failed', problem });
  await keep({ id: 'bak_good', verification: { at: new Date(), problem } });
  await keep({ id: 'bak_running', status: 'running', finishedAt: null, objectKey: null });
  await keep({ id: 'bak_bad', status: 'failed', objectKey: null, problem, kind: 'manual', requestedBy: `usr_${LONG}` });
  await restores.insert(restoreRecord({ id: 'rst_running', status: 'running', phase: 'swapping' }));
  await restores.insert(restoreRecord({ id: 'rst_failed', status: 'failed', mode: 'in-place', problem }));
}
