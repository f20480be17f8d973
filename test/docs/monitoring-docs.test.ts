import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { edgePortsSection } from '../../adapters/env/edge.ts';
import { monitorServiceSection } from '../../adapters/env/monitor-service.ts';
import { monitorsWorkerSection } from '../../adapters/env/monitors.ts';
import { notificationsWorkerSection } from '../../adapters/env/notifications.ts';
import { MONITOR_STATES } from '../../domain/monitors/condition.ts';
import { KEY, startMonitor } from '../support/start-monitor.ts';
import { readPage } from './read-page.ts';
import { runPage } from './run-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCS = join(ROOT, 'docs');
const [PAGE, STATUS] = ['monitoring.md', 'status-page.md'];

const read = (page: string): Promise<string> => readFile(join(DOCS, page), 'utf8');

/** The pages on the real app, with a service that a deploy has registered. */
describe('docs/monitoring.md and docs/status-page.md', { timeout: 590_000 }, () => {
  const stack = new AsyncDisposableStack();
  let variables: Readonly<Record<string, string>>;
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-docs-monitoring-'));
    stack.defer(() => rm(folder, { recursive: true }));
    await symlink(join(ROOT, 'cli/fairlead.mjs'), join(folder, 'fairlead'));
    const monitor = stack.adopt(await startMonitor(), ({ stop }) => stop());
    const shop = { serviceName: 'shop', org: 'platform', environment: 'prod', url: 'https://shop.example.com/health' };
    await monitor.call('POST', '/api/pulse/register', shop);
    variables = {
      PATH: `${folder}:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
      // The commands need no builder.
      ...{ FAIRLEAD_URL: 'http://127.0.0.1:1', FAIRLEAD_KEY: KEY },
      ...{ FAIRLEAD_MONITOR_URL: monitor.address, MONITOR_URL: monitor.address },
    };
  });
  after(() => stack.disposeAsync());

  it('do what they say, line by line', async () => {
    for (const [page, least] of [
      [PAGE, 9],
      [STATUS, 4],
    ] as const) {
      const steps = readPage(await read(page));
      assert.ok(steps.length >= least, page);
      await runPage(page, steps, { preamble: '', variables });
    }
  });

  it('name every variable of the service and of its workers, and every state', async () => {
    const page = await read(PAGE);
    const sections = { ...monitorServiceSection, ...monitorsWorkerSection, ...notificationsWorkerSection };
    // The ports of the router are those of every process.
    const named = Object.keys(sections).filter((name) => !Object.hasOwn(edgePortsSection, name));
    for (const name of ['MONITOR_URL', ...named, ...MONITOR_STATES]) {
      assert.match(page, new RegExp(`^\\| .*\`${name}\``, 'm'));
    }
  });

  it('link to pages that are there', async () => {
    for (const page of [PAGE, STATUS]) {
      for (const [, target = ''] of (await read(page)).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        await readFile(join(dirname(join(DOCS, page)), target)).catch(() => assert.fail(`${page} links to ${target}`));
      }
    }
  });
});
