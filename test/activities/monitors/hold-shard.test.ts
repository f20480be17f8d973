import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitUntil } from '../../support/wait-until.ts';
import { httpCheck, startHolderWorld, startSite } from './holder-world.ts';

describe('the holder of a shard', { timeout: 120_000, concurrency: true }, () => {
  it('checks a new monitor at once, tells down by the second failure, dated back to the first, and up again', async () => {
    await using world = await startHolderWorld();
    await using site = await startSite();
    world.hold(0);
    const { id } = await world.add(4, httpCheck(site.url));
    const addedAt = Date.now();
    await waitUntil('it was checked', () => site.state.requests > 0);
    assert.ok(Date.now() - addedAt < 5_000);
    await waitUntil('it is up', async () => (await world.verdict(id)) === 'up');
    site.state.status = 503;
    const down = await waitUntil('it is down', () => world.told.find(({ monitorId }) => monitorId === id) ?? null);
    assert.equal(down.kind, 'down');
    const stored = await world.results.read({ number: 4 }, new Date(addedAt - 60_000), new Date(Date.now() + 60_000));
    const failures = stored.filter(({ outcome }) => outcome === 'failed');
    assert.equal(failures[0]?.at, down.at);
    assert.match(down.message ?? '', /answered 503/);
    site.state.status = 200;
    const up = await waitUntil(
      'it is up again',
      () => world.told.find(({ kind, monitorId }) => kind === 'up' && monitorId === id) ?? null,
    );
    assert.equal(up.downSequence, down.sequence);
  });

  it('stops checking what is paused, and goes on when that ends', async () => {
    await using world = await startHolderWorld();
    await using site = await startSite();
    const { id } = await world.add(8, httpCheck(site.url));
    world.hold(0);
    await waitUntil('it was checked', () => site.state.requests > 0);
    await world.change(id, { paused: { at: new Date(), by: 'usr_ada' } });
    const paused = await world.add(12, httpCheck(site.url));
    await world.change(paused.id, { paused: { at: new Date(), by: 'usr_ada' } });
    await using other = await startSite();
    await world.add(16, httpCheck(other.url));
    await waitUntil('the change was seen', () => other.state.requests > 0);
    const before = site.state.requests;
    await waitUntil('another turn went by', () => other.state.requests > 2);
    assert.ok(site.state.requests - before <= 1);
    await world.change(id, { paused: null });
    const resumedAt = site.state.requests;
    await waitUntil('it is checked again', () => site.state.requests > resumedAt);
  });

  it('ends when another holder comes, whose results alone count', async () => {
    await using world = await startHolderWorld();
    await using site = await startSite();
    await world.add(5, httpCheck(site.url));
    const older = world.hold(1);
    await waitUntil('it was checked', () => site.state.requests > 0);
    world.hold(1);
    assert.equal(await older.ended, 'overtaken');
    const before = site.state.requests;
    await waitUntil('the newer one checks', () => site.state.requests > before);
  });

  it('goes on checking while the database is away, and records all of it in order afterwards', async () => {
    await using world = await startHolderWorld();
    await using site = await startSite();
    const { id } = await world.add(6, httpCheck(site.url));
    world.hold(2);
    await waitUntil('it is up', async () => (await world.verdict(id)) === 'up');
    world.database.isAway = true;
    site.state.status = 503;
    const before = site.state.requests;
    await waitUntil('it was checked meanwhile', () => site.state.requests >= before + 3);
    assert.ok(!world.told.some(({ monitorId }) => monitorId === id));
    world.database.isAway = false;
    const down = await waitUntil('it is told', () => world.told.find(({ monitorId }) => monitorId === id) ?? null);
    assert.equal(down.kind, 'down');
    const range = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)] as const;
    const all = await waitUntil('all is recorded', async () => {
      const read = await world.results.read({ number: 6 }, ...range);
      return read.length >= before + 3 ? read : null;
    });
    const gaps = all.slice(1).map(({ at }, index) => at - (all[index]?.at ?? 0));
    assert.ok(Math.max(...gaps) < 12_000, `the longest gap is ${Math.max(...gaps)} ms`);
    assert.equal(down.at, all.find(({ outcome }) => outcome === 'failed')?.at);
  });

  it('says nothing anew after a restart of what was down before', async () => {
    await using world = await startHolderWorld();
    await using site = await startSite();
    site.state.status = 500;
    const { id } = await world.add(7, httpCheck(site.url));
    const first = world.hold(3);
    await waitUntil('it is down', async () => (await world.verdict(id)) === 'down');
    await first.stop();
    world.hold(3);
    const before = site.state.requests;
    await waitUntil('it was checked twice more', () => site.state.requests >= before + 2);
    // A holder that stops may leave the next one to tell it again; the incidents know it by its sequence.
    const told = world.told.filter(({ monitorId }) => monitorId === id);
    assert.deepEqual([...new Set(told.map(({ kind, sequence }) => `${kind} ${sequence}`))], ['down 1']);
  });

  it('looks at the heartbeats of jobs, and judges none while the database is away', async () => {
    await using world = await startHolderWorld();
    const check = { kind: 'heartbeat', tokenHash: '', periodSeconds: 1, graceSeconds: 1 } as const;
    const well = await world.add(20, { ...check, periodSeconds: 3_600 });
    const { id } = await world.add(24, check);
    world.hold(0);
    await waitUntil('the job is missed', async () => (await world.verdict(id)) === 'down');
    assert.equal(await world.verdict(well.id), 'up');
    await world.heartbeats.put(well.id, 'fail', new Date());
    await waitUntil('the other job said that it failed', async () => (await world.verdict(well.id)) === 'down');
    assert.match(world.told.find(({ monitorId }) => monitorId === well.id)?.message ?? '', /said at .* that it failed/);
  });

  it('ends with the reason of the abort, so that another attempt begins', async () => {
    await using world = await startHolderWorld();
    const holder = world.hold(0);
    assert.match(String(await holder.stop()), /the test is over/);
  });
});

describe('a prober that is cut off', { timeout: 120_000 }, () => {
  it('takes failures for its own, in every shard, tells the operators once, and nobody of an outage', async () => {
    await using control = await startSite();
    await using world = await startHolderWorld({ controls: [{ host: '127.0.0.1', port: control.port }] });
    const sites = await Promise.all([startSite(), startSite(), startSite()]);
    const added = await Promise.all(sites.map(({ url }, index) => world.add(4 + index, httpCheck(url))));
    for (const shard of [0, 1, 2]) world.hold(shard);
    for (const { id } of added) await waitUntil('it is up', async () => (await world.verdict(id)) === 'up');
    for (const site of [control, ...sites]) await site.close();
    await waitUntil('the operators are told', () => world.notices.length > 0);
    const range = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)] as const;
    for (const { number } of added) {
      const outcomes = async () => (await world.results.read({ number }, ...range)).map(({ outcome }) => outcome);
      await waitUntil('it is unknown', async () => (await outcomes()).filter((each) => each === 'unknown').length >= 2);
      assert.ok((await outcomes()).filter((outcome) => outcome === 'failed').length <= 1);
    }
    assert.deepEqual(world.told, []);
    assert.deepEqual(
      world.notices.map(({ kind, org }) => [kind, org]),
      [['prober.fault', null]],
    );
  });
});
