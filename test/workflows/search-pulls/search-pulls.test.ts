import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import { SEARCH_PULL_WORKFLOW_ID, SEARCH_PULLS_WORKFLOWS } from '../../../domain/search-pulls/messages.ts';
import { addDays, pacificDay } from '../../../domain/search-pulls/pacific-day.ts';
import type { PullRun } from '../../../domain/search-pulls/pull-run.ts';
import type { SearchPullsParts } from '../../support/in-memory/search-pulls-parts.ts';
import { startSearchPulls, type TestSearchPulls } from './harness.ts';

const { dailySearchPull, resumeSearchPull } = SEARCH_PULLS_WORKFLOWS;

describe('pulls of search numbers', { timeout: 200_000 }, () => {
  let temporal: TestSearchPulls;
  let parts: SearchPullsParts;
  before(async () => {
    temporal = await startSearchPulls();
  });
  after(() => temporal?.stop());
  beforeEach(async () => {
    parts = await temporal.reset();
  });
  /** Properties with some days of traffic. */
  const add = (...domains: readonly string[]): void => {
    const since = addDays(pacificDay(parts.clock.now), -12);
    for (const domain of domains) parts.add(domain, { since });
  };
  const runOf = async (id: string): Promise<PullRun> => {
    const run = await parts.deps.runs.find(id);
    assert.ok(run, id);
    return run;
  };
  const daysOf = async (domain: string): Promise<number> => {
    const days = await parts.deps.rows.days(
      { property: domain, type: 'web' },
      { from: '2000-01-01', to: '2999-12-31' },
    );
    return days.filter(({ totals }) => totals.impressions > 0).length;
  };

  /** As every five minutes; while an activity runs, the server skips no time. */
  const resume = () => temporal.run<{ readonly runId: string | null }>(resumeSearchPull, [0]);

  it('of the estate pull every property, and put a summary on record', async () => {
    add('a.com', 'b.com', 'c.com', 'd.com', 'e.com');
    const pull = await temporal.newPull();
    await temporal.commands.pullAll(pull);
    await temporal.ended();
    const { status, summary, error, trigger, abandoned } = await runOf(pull.id);
    assert.deepEqual([status, error, trigger, abandoned], ['done', null, 'manual', false]);
    assert.deepEqual([summary?.properties, summary?.pulled, summary?.failed], [5, 5, 0]);
    assert.ok((summary?.rows ?? 0) > 500);
    for (const domain of ['a.com', 'b.com', 'c.com', 'd.com', 'e.com']) assert.ok((await daysOf(domain)) >= 10, domain);
  });

  it('are not stopped by a property that fails; its summary names it', async () => {
    add('a.com', 'b.com', 'c.com');
    parts.deps.analytics.sites.delete('sc-domain:b.com');
    const pull = await temporal.newPull();
    await temporal.commands.pullAll(pull);
    await temporal.ended();
    const { status, summary } = await runOf(pull.id);
    assert.deepEqual([status, summary?.pulled, summary?.failed], ['done', 2, 1]);
    assert.deepEqual(summary?.failures, [
      { domain: 'b.com', code: 'GOOGLE_PERMISSION', message: 'The service account may not see sc-domain:b.com' },
    ]);
  });

  it('of which every property fails are failed, with an error', async () => {
    add('a.com', 'b.com');
    parts.deps.analytics.sites.clear();
    const pull = await temporal.newPull();
    await temporal.commands.pullAll(pull);
    await temporal.ended();
    const { status, error } = await runOf(pull.id);
    assert.deepEqual([status, error?.code], ['failed', 'GOOGLE_PERMISSION']);
    assert.match(error?.message ?? '', /^None of 2 properties could be pulled; [ab]\.com: /);
  });

  it('without a property are done', async () => {
    const pull = await temporal.newPull();
    await temporal.commands.pullAll(pull);
    await temporal.ended();
    assert.deepEqual([(await runOf(pull.id)).status, (await runOf(pull.id)).summary?.properties], ['done', 0]);
  });

  it('run one at a time: while one runs, all others are refused with its id', async () => {
    add('a.com');
    const held = Promise.withResolvers<void>();
    parts.deps.analytics.fault = () => held.promise;
    const pull = await temporal.newPull();
    await temporal.commands.pullAll(pull);
    const refused = { code: 'PULL_IN_PROGRESS', details: { jobId: pull.id } };
    await assert.rejects(temporal.commands.pullAll(await temporal.newPull()), refused);
    const one = { property: 'a.com', since: parts.clock.now.toISOString() };
    await assert.rejects(temporal.commands.pullOne(one, AbortSignal.timeout(60_000)), refused);
    // The request whose answer was lost is the pull that runs.
    await temporal.commands.pullAll(pull);
    assert.equal(await temporal.commands.holder(), pull.id);
    held.resolve();
    await temporal.ended();
    assert.equal(await temporal.commands.holder(), undefined);
  });

  it('of one property answer with its summary and leave no record; meanwhile no other pull begins', async () => {
    add('a.com');
    const held = Promise.withResolvers<void>();
    parts.deps.analytics.fault = () => held.promise;
    const one = { property: 'a.com', since: parts.clock.now.toISOString() };
    const asked = temporal.commands.pullOne(one, AbortSignal.timeout(60_000));
    while ((await temporal.commands.holder()) !== null) await temporal.env.sleep(10);
    const error = await temporal.commands.pullAll(await temporal.newPull()).catch((refusal: unknown) => refusal);
    assert.ok(error instanceof FairleadError);
    assert.deepEqual([error.code, error.details], ['PULL_IN_PROGRESS', undefined]);
    held.resolve();
    const summary = await asked;
    assert.ok((summary?.rows ?? 0) > 100);
    assert.equal(await parts.deps.runs.newestRunning(), null);
  });

  it('of one property fail with the reason, and go on when whoever asked waits no longer', async () => {
    const one = { property: 'a.com', since: parts.clock.now.toISOString() };
    await assert.rejects(temporal.commands.pullOne(one, AbortSignal.timeout(60_000)), { code: 'GOOGLE_PERMISSION' });
    add('a.com');
    const held = Promise.withResolvers<void>();
    parts.deps.analytics.fault = () => held.promise;
    const gone = new AbortController();
    const asked = temporal.commands.pullOne(one, gone.signal);
    while ((await temporal.commands.holder()) !== null) await temporal.env.sleep(10);
    gone.abort();
    assert.equal(await asked, null);
    held.resolve();
    await temporal.ended();
    assert.ok((await daysOf('a.com')) >= 10);
  });

  it('wait for a quota that is used up, and then go on with the days that are left', async () => {
    add('a.com');
    let refusals = 3;
    parts.deps.analytics.fault = ({ dimension }) => {
      if (dimension !== 'page' || refusals === 0) return;
      refusals -= 1;
      const details = { retryAfterSeconds: 900 };
      throw new FairleadError('RATE_LIMITED', 'The quota is used up', { retryable: true, details });
    };
    const pull = await temporal.newPull();
    const began = await temporal.env.currentTimeMs();
    await temporal.commands.pullAll(pull);
    await temporal.ended();
    assert.equal((await runOf(pull.id)).summary?.pulled, 1);
    assert.ok((await temporal.env.currentTimeMs()) - began >= 3 * 900_000);
  });

  const failAlways = (domain: string): void => {
    parts.deps.analytics.fault = ({ siteUrl }) => {
      if (siteUrl !== `sc-domain:${domain}`) return;
      throw new FairleadError('UNAVAILABLE', 'Google answers 500', { retryable: true });
    };
  };

  /** By its own times: once it has ended, the server may have skipped on to a timer that nobody needs any more. */
  const lastPullMs = async (): Promise<number> => {
    const { startTime, closeTime } = await temporal.env.client.workflow.getHandle(SEARCH_PULL_WORKFLOW_ID).describe();
    return (closeTime?.getTime() ?? Number.POSITIVE_INFINITY) - startTime.getTime();
  };

  it('give up a property that always fails within two hours, beside nine good ones, and are done', async () => {
    const good = Array.from({ length: 9 }, (_, index) => `good${index}.com`);
    add('bad.com', ...good);
    failAlways('bad.com');
    const pull = await temporal.newPull();
    await temporal.commands.pullAll(pull);
    await temporal.ended();
    const { status, summary } = await runOf(pull.id);
    assert.deepEqual([status, summary?.pulled, summary?.failed], ['done', 9, 1]);
    assert.deepEqual(summary?.failures[0], { domain: 'bad.com', code: 'UNAVAILABLE', message: 'Google answers 500' });
    const tookMs = await lastPullMs();
    assert.ok(tookMs > 3_600_000 && tookMs < 2 * 3_600_000, `${tookMs} ms`);
  });

  it('of one property that always fails leave the lease to others within half an hour', async () => {
    add('bad.com');
    failAlways('bad.com');
    const one = { property: 'bad.com', since: parts.clock.now.toISOString() };
    const gone = AbortSignal.timeout(200);
    await temporal.commands.pullOne(one, gone).catch(() => null);
    await assert.rejects(temporal.ended());
    const tookMs = await lastPullMs();
    assert.ok(tookMs < 1_800_000, `${tookMs} ms`);
    assert.equal(await temporal.commands.holder(), undefined);
  });

  it('are looked for 45 seconds after a worker started', async () => {
    const began = await temporal.env.currentTimeMs();
    assert.deepEqual(await temporal.run(resumeSearchPull), { runId: null });
    assert.ok((await temporal.env.currentTimeMs()) - began >= 45_000);
  });

  it('begin every day by the clock; where another pull runs, after it', async () => {
    add('a.com');
    const first = await temporal.run<{ runId: string }>(dailySearchPull);
    await temporal.ended();
    const run = await runOf(first.runId);
    assert.deepEqual([run.trigger, run.status, run.requestedBy], ['cron', 'done', 'schedule']);
    let holds = 3;
    temporal.current.before.pullSearchNumbers = () => {
      holds -= 1;
      if (holds > 0)
        throw new FairleadError('UNAVAILABLE', 'away', { retryable: true, details: { retryAfterSeconds: 600 } });
    };
    await temporal.commands.pullAll(await temporal.newPull());
    const next = await temporal.run<{ runId: string }>(dailySearchPull);
    await temporal.ended();
    assert.equal((await runOf(next.runId)).status, 'done');
  });

  it('that were broken off are gone on with: the remainder alone is pulled, and the old one is failed and abandoned', async () => {
    add('a.com', 'b.com', 'c.com', 'd.com', 'e.com');
    parts.settings.parallelism = 1;
    const third = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    parts.deps.analytics.fault = async ({ siteUrl, dimension }) => {
      if (siteUrl !== 'sc-domain:c.com' || dimension === 'date') return;
      third.resolve();
      await held.promise;
    };
    const pull = await temporal.newPull();
    await temporal.commands.pullAll(pull);
    await third.promise;
    // While it has the lease, nothing is resumed.
    assert.deepEqual(await resume(), { runId: null });
    assert.equal((await runOf(pull.id)).status, 'running');
    await temporal.env.client.workflow.getHandle(SEARCH_PULL_WORKFLOW_ID).terminate();
    held.reject(new FairleadError('UNAVAILABLE', 'away', { retryable: true }));
    parts.deps.analytics.fault = null;
    // Its record says still that it runs, as nobody could write it.
    assert.equal((await runOf(pull.id)).status, 'running');
    const { runId } = await resume();
    assert.ok(runId);
    await temporal.ended();
    const [old, next] = [await runOf(pull.id), await runOf(runId)];
    assert.deepEqual([old.status, old.abandoned, old.error?.code], ['failed', true, 'PULL_ABANDONED']);
    assert.deepEqual([next.trigger, next.status, next.abandoned], ['resume', 'done', false]);
    assert.deepEqual(next.since, old.since);
    assert.deepEqual([next.summary?.properties, next.summary?.pulled], [3, 3]);
    // And once more there is nothing to resume.
    assert.deepEqual(await resume(), { runId: null });
  });

  it('that were broken off before they were on record leave nothing to go on with', async () => {
    const held = Promise.withResolvers<void>();
    temporal.current.before.beginSearchPull = () => held.promise;
    await temporal.commands.pullAll(await temporal.newPull());
    await temporal.env.client.workflow.getHandle(SEARCH_PULL_WORKFLOW_ID).terminate();
    temporal.current.before = {};
    assert.deepEqual(await resume(), { runId: null });
    held.resolve();
  });

  it('of two that resume at once start one pull', async () => {
    add('a.com');
    const { id, ...pull } = await temporal.newPull();
    await temporal.current.parts.activities.beginSearchPull({
      ...{ runId: id, trigger: 'manual', requestedBy: 'usr_ada' },
      ...{ startedAt: pull.startedAt.toISOString(), since: pull.since.toISOString() },
    });
    const held = Promise.withResolvers<void>();
    parts.deps.analytics.fault = () => held.promise;
    const started = await Promise.all([resume(), resume()]);
    held.resolve();
    await temporal.ended();
    assert.equal(started.filter(({ runId }) => runId !== null).length, 1);
    assert.equal((await runOf(id)).abandoned, true);
  });

  it('that are cancelled put that on record', async () => {
    add('a.com');
    const refused = Promise.withResolvers<void>();
    parts.deps.analytics.fault = () => {
      refused.resolve();
      const details = { retryAfterSeconds: 900 };
      throw new FairleadError('RATE_LIMITED', 'The quota is used up', { retryable: true, details });
    };
    const pull = await temporal.newPull();
    await temporal.commands.pullAll(pull);
    await refused.promise;
    await temporal.env.client.workflow.getHandle(SEARCH_PULL_WORKFLOW_ID).cancel();
    await assert.rejects(temporal.ended());
    const { status, error } = await runOf(pull.id);
    assert.deepEqual([status, error], ['failed', { code: 'CANCELLED', message: 'It was cancelled' }]);
  });
});
