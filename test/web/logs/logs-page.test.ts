import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import type { OpenServiceLog } from '../../../domain/logs/service-log.ts';
import { linesOf, serviceLogLine } from '../../ports/service-logs.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';
import { followPage } from '../../support/follow-page.ts';
import { createInMemoryBuilderParts } from '../../support/in-memory/builder-parts.ts';

const MEMBER = { sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['member'] };
const PATH = '/services/shop/logs';

describe('what a service prints, in the console', () => {
  let on: ConsoleOnBuilder;
  let folder: string;
  let log: OpenServiceLog;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-console-logs-'));
    on = await startConsoleOnBuilder({
      ...createInMemoryBuilderParts(),
      serviceLogs: createServiceLogs({ directory: folder }),
    });
    await on.builder.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    log = await (await on.builder.serviceLogs.takeOver()).open({ serviceId: 'svc_shop', environment: 'prod' });
    await log.append([...linesOf(1, 3), serviceLogLine('<b>oh no</b>\u202e', { stream: 'error' })]);
  });
  after(async () => {
    await log.close();
    await on.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const textOf = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

  it('shows the last lines as text, of one stream, or with a text', async () => {
    const browser = await on.browseAs(MEMBER);
    const { status, text } = await browser.get(PATH);
    assert.equal(status, 200);
    assert.match(textOf(text), /line 1 .* line 3 .* Error: &lt;b&gt;oh no&lt;\/b&gt;/);
    assert.ok(!text.includes('\u202e'));
    assert.doesNotMatch(textOf((await browser.get(`${PATH}?stream=error`)).text), /line 1/);
    const found = (await browser.get(`${PATH}?find=ne+2`)).text;
    assert.match(found, /li<mark>ne 2<\/mark>/);
    assert.doesNotMatch(textOf(found), /line 3/);
    assert.match(textOf((await browser.get(`${PATH}?environment=uat`)).text), /Nothing was printed yet/);
    assert.equal((await browser.get(`${PATH}?environment=moon`)).status, 400);
  });

  it('finds lines by level, release and time, and leads to earlier ones and back, without a script', async () => {
    const builder = on.builder.serviceLogs;
    await on.builder.services.upsert({ id: 'svc_old', name: 'old', org: 'acme' }, {});
    const old = await (await builder.takeOver()).open({ serviceId: 'svc_old', environment: 'prod' });
    const entry = (number: number) => {
      const text = JSON.stringify({ level: number % 100 === 0 ? 'warn' : 'info', msg: `entry ${number} of it` });
      return serviceLogLine(text, { release: number > 600 ? 'rel_2' : 'rel_1' });
    };
    const lines = Array.from({ length: 1_200 }, (_, index) => entry(index + 1));
    await old.append(lines);
    await old.close();
    const browser = await on.browseAs(MEMBER);
    const shown = async (path: string) => {
      const { status, text } = await browser.get(path);
      assert.equal(status, 200, path);
      const numbers = [...text.matchAll(/entry (\d+) of it/g)].map(([, number]) => Number(number));
      const linkTo = (label: string): string =>
        new RegExp(`href="([^"]*)">${label}<`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      return { span: [numbers[0], numbers.at(-1)], count: numbers.length, linkTo, isLive: text.includes('data-live') };
    };
    const newest = await shown('/services/old/logs');
    assert.deepEqual([newest.span, newest.isLive], [[701, 1_200], true]);
    const earlier = await shown(newest.linkTo('Earlier lines'));
    assert.deepEqual([earlier.span, earlier.isLive], [[201, 700], false]);
    const first = await shown(earlier.linkTo('Earlier lines'));
    assert.deepEqual([first.span, first.linkTo('Earlier lines')], [[1, 200], '']);
    assert.deepEqual((await shown(first.linkTo('Newest lines'))).span, [701, 1_200]);
    assert.deepEqual((await shown('/services/old/logs?level=warn')).count, 12);
    assert.deepEqual((await shown('/services/old/logs?release=rel_1&level=warn')).span, [100, 600]);
    assert.deepEqual((await shown(`/services/old/logs?since=${lines[1_189]?.at}`)).span, [1_190, 1_200]);
    assert.deepEqual((await shown('/services/old/logs?until=2026-01-01T00:00&since=')).count, 0);
    for (const wrong of ['since=yesterday', 'until=2026-13-01T00:00', 'level=loud', `release=${'x'.repeat(65)}`]) {
      assert.equal((await browser.get(`/services/old/logs?${wrong}`)).status, 400, wrong);
    }
    // The other tests write on.
    log = await (await builder.takeOver()).open({ serviceId: 'svc_shop', environment: 'prod' });
  });

  it('goes on where the page ends, and after a break where it was', async () => {
    const browser = await on.browseAs(MEMBER);
    const { text } = await browser.get(PATH);
    const live = / data-live="\/live([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const first = followPage(on.console.address, browser, live);
    await log.append(linesOf(4, 5));
    await first.until('log', 2);
    await first.stop();
    const [four] = first.of('log');
    assert.match(four?.html ?? '', /line 4/);
    const second = followPage(on.console.address, browser, live, four?.id);
    await log.append(linesOf(6, 6));
    await second.until('log', 2);
    await second.stop();
    assert.deepEqual(
      second.of('log').map(({ html }) => /line \d/.exec(html)?.[0]),
      ['line 5', 'line 6'],
    );
  });

  it('is for members: viewers are told so, and other orgs that there is no such service', async () => {
    assert.equal((await (await on.browseAs({ ...MEMBER, orgRoles: ['viewer'] })).get(PATH)).status, 403);
    assert.equal((await (await on.browseAs({ ...MEMBER, orgSlug: 'other' })).get(PATH)).status, 404);
  });
});
