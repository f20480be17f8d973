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
