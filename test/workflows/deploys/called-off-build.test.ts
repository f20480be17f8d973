import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import { buildRequest } from '../../ports/records.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { endingSlowly } from './ending-slowly.ts';
import { createFakeActivities, createTemporal } from './harness.ts';

/** Builds that were asked to end and have not yet. */
describe('a build that is called off', () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  before(async () => {
    temporal = await createTemporal();
  });
  after(() => temporal.stop());

  const again = ({ service, source }: BuildRequest): BuildRequest => buildRequest({ service, source });
  const pinned = (digit: string): Partial<BuildRequest> => ({
    source: { kind: 'git', url: 'https://git.example/hello.git', branch: 'main', commit: digit.repeat(40) },
  });
  const ofItsOwn = ({ buildId }: BuildRequest, supersededBuildId: string | null = null) => ({
    buildId,
    deduplicated: false,
    supersededBuildId,
  });

  /** A build at work in its step `buildImage`, which ends when it is released after it was called off. */
  async function atWork(first: BuildRequest) {
    const slow = endingSlowly('buildImage');
    const fakes = createFakeActivities(temporal.directory, slow.overrides);
    temporal.setActivities(fakes.activities);
    await temporal.commands.request(first);
    await waitUntil('the step to begin', slow.begun);
    return { ...slow, ...fakes };
  }

  /** One after the other: the first ends as it says, and then the second completes. */
  async function bothEnd(journal: readonly string[], first: string, second: BuildRequest): Promise<void> {
    await waitUntil('the second build', () => journal.includes(`${second.buildId} completed`));
    assert.deepEqual(
      journal.filter((entry) => [first, `${second.buildId} fetchSource`].includes(entry)),
      [first, `${second.buildId} fetchSource`],
    );
    assert.ok(!journal.some((entry) => entry.includes(' attached ')));
  }

  for (const [what, source] of [
    ['branch', {}],
    ['commit', pinned('a')],
  ] as const) {
    it(`is joined by nobody: a request for the same ${what} has a build of its own, after the end of this one`, async () => {
      const first = buildRequest(source);
      const { journal, isCalledOff, release } = await atWork(first);
      const cancelled = temporal.commands.cancel(first);
      await waitUntil('the cancellation', isCalledOff);
      const second = again(first);
      assert.deepEqual(await temporal.commands.request(second), ofItsOwn(second));
      release();
      await cancelled;
      await bothEnd(journal, `${first.buildId} failed cancelled`, second);
    });
  }

  it('is joined by nobody who asked while it was at work and is answered after that', async () => {
    const first = buildRequest();
    const { activities, journal, isCalledOff, release } = await atWork(first);
    const { promise: resolved, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    activities.resolveHead = async () => {
      asked += 1;
      await resolved;
      return { commit: 'a'.repeat(40), branch: 'main' };
    };
    const second = again(first);
    const outcome = temporal.commands.request(second);
    await waitUntil('the look at the branch', () => asked > 0);
    const cancelled = temporal.commands.cancel(first);
    await waitUntil('the cancellation', isCalledOff);
    resolve();
    assert.deepEqual(await outcome, ofItsOwn(second));
    release();
    await cancelled;
    await bothEnd(journal, `${first.buildId} failed cancelled`, second);
  });

  it('is joined by nobody when a newer one called it off that was then cancelled itself', async () => {
    const first = buildRequest(pinned('1'));
    const { journal, isCalledOff, release } = await atWork(first);
    const newer = buildRequest({ service: first.service, ...pinned('2') });
    assert.deepEqual(await temporal.commands.request(newer), ofItsOwn(newer, first.buildId));
    await waitUntil('its end was asked for', isCalledOff);
    assert.equal(await temporal.commands.cancel(newer), 'cancelled');
    const last = again(first);
    assert.deepEqual(await temporal.commands.request(last), ofItsOwn(last));
    release();
    await bothEnd(journal, `${first.buildId} failed superseded`, last);
    assert.ok(!journal.includes(`${newer.buildId} fetchSource`));
  });

  it('of several requests that come meanwhile one build is made, which the later ones join', async () => {
    const first = buildRequest();
    const { journal, isCalledOff, release } = await atWork(first);
    const cancelled = temporal.commands.cancel(first);
    await waitUntil('the cancellation', isCalledOff);
    const others = Array.from({ length: 5 }, () => again(first));
    const outcomes = await Promise.all(others.map((request) => temporal.commands.request(request)));
    const [made, ...more] = new Set(outcomes.map(({ buildId }) => buildId));
    assert.deepEqual(more, []);
    assert.equal(outcomes.filter(({ deduplicated }) => !deduplicated).length, 1);
    release();
    await cancelled;
    await waitUntil('the one build', () => journal.includes(`${made} completed`));
  });
});
