import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RestartOutcome } from '../../../domain/deploys/restart.ts';
import { createWorkloadLogins } from '../../../domain/deploys/workload-logins.ts';
import { buildRecord, releaseRecord } from '../../ports/records.ts';
import { createInMemoryBuildStore } from '../../support/in-memory/build-store.ts';
import { createInMemoryEpochStore } from '../../support/in-memory/epoch-store.ts';
import { createInMemoryReleaseStore } from '../../support/in-memory/release-store.ts';

const TARGET = { service: 'hello', environment: 'prod' } as const;
const DATABASE = { ...TARGET, engine: 'postgres' } as const;
const now = () => new Date('2026-01-01T00:00:00Z');

function use(answer: RestartOutcome = 'started') {
  const builds = createInMemoryBuildStore({ now });
  const releases = createInMemoryReleaseStore();
  const epochs = createInMemoryEpochStore();
  const logins = createWorkloadLogins({ builds, releases, epochs, now, commands: { restart: async () => answer } });
  const serve = async (epoch: number, databases: readonly 'postgres'[] = ['postgres']): Promise<void> => {
    await releases.put(releaseRecord({ id: `rel_${epoch}`, databases }));
    await releases.activate(`rel_${epoch}`, { at: now(), epoch, buildId: 'bld_1' });
  };
  return { builds, logins, serve };
}

describe('who may have an older login', () => {
  it('a release that was installed before the mark, and none after it', async () => {
    const { logins, serve } = use();
    const mark = await logins.mark(TARGET);
    assert.equal(await logins.mayHaveOlder(DATABASE, mark), false, 'nothing serves');
    await serve(mark - 1);
    assert.equal(await logins.mayHaveOlder(DATABASE, mark), true);
    await serve(mark + 1);
    assert.equal(await logins.mayHaveOlder(DATABASE, mark), false);
  });

  it('no release without the database', async () => {
    const { logins, serve } = use();
    const mark = await logins.mark(TARGET);
    await serve(mark - 1, []);
    assert.equal(await logins.mayHaveOlder(DATABASE, mark), false);
  });

  for (const [when, by] of [
    ['before the mark', -1],
    ['after it, beside what it replaces', 1],
  ] as const) {
    it(`an open build that began to act ${when}; one that has not begun takes the login of then`, async () => {
      const { logins, builds } = use();
      const mark = await logins.mark(TARGET);
      await builds.create(buildRecord({ id: 'bld_early' }));
      assert.equal(await logins.mayHaveOlder(DATABASE, mark), false);
      await builds.giveEpoch('bld_early', mark + by);
      assert.equal(await logins.mayHaveOlder(DATABASE, mark), true);
      const end = { status: 'failed', reason: 'step_failed', failure: null, supersededBy: null } as const;
      await builds.finish('bld_early', { ...end, finishedAt: now() });
      assert.equal(await logins.mayHaveOlder(DATABASE, mark), false);
    });
  }
});

describe('a restart that is asked for again', () => {
  it('tells what became of its build', async () => {
    const { logins, builds } = use();
    const order = { ...TARGET, buildId: 'bld_r', serviceId: 'svc_hello', mark: 1, requestedBy: 'x', requestId: 'y' };
    assert.equal(await logins.restart(order), 'running');
    await builds.create(buildRecord({ id: 'bld_r' }));
    assert.equal(await logins.restart(order), 'running');
    const end = { status: 'completed', reason: null, failure: null, supersededBy: null } as const;
    await builds.finish('bld_r', { ...end, finishedAt: now() });
    assert.equal(await logins.restart(order), 'ended');
  });

  it('waits for the deploy of people that has replaced its build', async () => {
    const { logins, builds } = use();
    const order = { ...TARGET, buildId: 'bld_r', serviceId: 'svc_hello', mark: 1, requestedBy: 'x', requestId: 'y' };
    for (const id of ['bld_r', 'bld_people']) await builds.create(buildRecord({ id }));
    const end = { status: 'failed', reason: 'superseded', failure: null, supersededBy: 'bld_people' } as const;
    await builds.finish('bld_r', { ...end, finishedAt: now() });
    assert.equal(await logins.restart(order), 'busy');
    const until = new Date('2026-01-02T00:00:00Z');
    await builds.setWaiting('bld_people', { since: now(), until, blockedGrants: [] });
    assert.equal(await logins.restart(order), 'ended', 'it waits for a grant: it may install a week later');
    await builds.finish('bld_people', { ...end, supersededBy: null, finishedAt: now() });
    assert.equal(await logins.restart(order), 'ended');
  });

  for (const answer of ['busy', 'not needed'] as const) {
    it(`passes on that it is ${answer}`, async () => {
      const order = { ...TARGET, buildId: 'bld_r', serviceId: 'svc_hello', mark: 1, requestedBy: 'x', requestId: 'y' };
      assert.equal(await use(answer).logins.restart(order), answer);
    });
  }
});
