import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logLine } from '../../ports/build-log.ts';
import { buildRecord, stepOf } from '../../ports/records.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';
import { followPage as follow } from '../../support/follow-page.ts';
import { waitUntil } from '../../support/wait-until.ts';

const MEMBER = { sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['member'] };
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => logLine(`line ${from + index}`));

/** Follows a build; `logged` has the numbers of its lines. */
function followPage(...of: Parameters<typeof follow>) {
  const follower = follow(...of);
  const logged = () => follower.of('log').map(({ html }) => / id="L(\d+)"/.exec(html)?.[1] ?? '?');
  return { ...follower, logged, until: (count: number) => follower.until('log', count) };
}

describe('a build that is followed in the console', () => {
  let on: ConsoleOnBuilder;
  before(async () => {
    on = await startConsoleOnBuilder();
    await on.builder.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  });
  after(() => on.stop());

  const begin = async (id: string, changes: object = {}) => {
    await on.builder.builds.create(
      buildRecord({ serviceId: 'svc_shop', service: 'shop', org: 'acme', id, ...changes }),
    );
    await on.builder.log.append(id, lines(1, 3));
  };
  const end = (id: string) =>
    on.builder.builds.finish(id, {
      ...{ status: 'completed', reason: null, failure: null, supersededBy: null, finishedAt: new Date() },
    });
  const liveOf = (page: string) => / data-live="\/live([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';

  it('goes on where the page ends, with lines, steps and states, up to its end', async () => {
    await begin('bld_live');
    const browser = await on.browseAs(MEMBER);
    const { text } = await browser.get('/builds/bld_live');
    assert.ok(text.includes('id="L3"'));
    const follower = followPage(on.console.address, browser, liveOf(text));
    await on.builder.log.append('bld_live', lines(4, 5));
    await follower.until(2);
    await on.builder.builds.markStep('bld_live', stepOf('source'), { state: 'running', startedAt: new Date() });
    await waitUntil('the step runs', () =>
      follower.changes.some(
        ({ region, html }) => region === 'steps' && html.includes('Fetch source<span class="unseen">: running'),
      ),
    );
    await waitUntil('the state', () =>
      follower.changes.some(({ region, html }) => region === 'status' && html.includes('Fetching the source')),
    );
    await end('bld_live');
    await follower.done;
    assert.deepEqual(follower.logged(), ['4', '5']);
    assert.deepEqual(follower.ends, [{ reason: 'complete' }]);
    const last = follower.changes.filter(({ region }) => region === 'status').at(-1);
    assert.match(last?.html ?? '', /Completed/);
    assert.match(follower.changes.filter(({ region }) => region === 'buttons').at(-1)?.html ?? '', /Deploy again/);
  });

  it('resumes after the last line that a browser has, whatever address it began with', async () => {
    await begin('bld_resume');
    const browser = await on.browseAs(MEMBER);
    const path = liveOf((await browser.get('/builds/bld_resume')).text);
    const first = followPage(on.console.address, browser, path);
    await on.builder.log.append('bld_resume', lines(4, 8));
    await first.until(3);
    const seen = first.changes.filter(({ region }) => region === 'log').slice(0, 3);
    await first.stop();
    const second = followPage(on.console.address, browser, path, seen.at(-1)?.id);
    // A script cannot send the header: it says the same in the address.
    const third = followPage(on.console.address, browser, `${path}&last-event-id=${seen.at(-1)?.id}`);
    await on.builder.log.append('bld_resume', lines(9, 10));
    await end('bld_resume');
    await Promise.all([second.done, third.done]);
    for (const { logged } of [second, third]) assert.deepEqual(logged(), ['7', '8', '9', '10']);
    const wrong = followPage(on.console.address, browser, path, 'x y');
    await wrong.done;
    assert.deepEqual(wrong.logged(), ['4', '5', '6', '7', '8', '9', '10']);
  });

  it('does not end for the browser when the builder only stops, so that it asks again', async () => {
    const other = await startConsoleOnBuilder();
    try {
      await other.builder.builds.create(buildRecord({ id: 'bld_stops', org: 'acme', serviceId: 'svc_gone' }));
      await other.builder.log.append('bld_stops', lines(1, 1));
      const browser = await other.browseAs(MEMBER);
      const follower = followPage(other.console.address, browser, '/builds/bld_stops');
      await follower.until(1);
      await other.builder.server.stop();
      await follower.done;
      assert.deepEqual(follower.ends, []);
      const again = followPage(other.console.address, browser, '/builds/bld_stops', '1');
      await again.done;
      assert.deepEqual([again.ends, again.changes], [[], []]);
    } finally {
      await other.stop();
    }
  });

  it('ends for whoever lost access: the browser that asks again hears that there is no such build', async () => {
    await begin('bld_lost');
    const guest = await on.browseAs({ ...MEMBER, orgSlug: 'guests' });
    await on.builder.authorize('svc_shop', ['guests']);
    const follower = followPage(on.console.address, guest, '/builds/bld_lost');
    await follower.until(3);
    await on.builder.authorize('svc_shop', []);
    await follower.done;
    assert.deepEqual(follower.ends, []);
    const again = followPage(on.console.address, guest, '/builds/bld_lost', '3');
    await again.done;
    assert.deepEqual(
      again.ends.map(({ reason }) => reason),
      ['refused'],
    );
  });

  it('ends for whoever’s token is revoked, and tells them to sign in', async () => {
    await begin('bld_revoked');
    const browser = await on.browseAs({ ...MEMBER, sub: 'usr_bob' });
    const follower = followPage(on.console.address, browser, '/builds/bld_revoked');
    await follower.until(3);
    on.provider.revoke('user', 'usr_bob', new Date(Date.now() + 60_000));
    on.endLoginOf('usr_bob');
    await follower.done;
    const again = followPage(on.console.address, browser, '/builds/bld_revoked', '3');
    await again.done;
    assert.deepEqual(
      again.ends.map(({ reason }) => reason),
      ['signed-out'],
    );
    assert.deepEqual(again.changes, []);
  });
});
