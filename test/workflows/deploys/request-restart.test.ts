import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createRestartCommands } from '../../../adapters/temporal/restart-commands.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import type { RestartOutcome, RestartRequest } from '../../../domain/deploys/restart.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildRequest } from '../../ports/records.ts';
import { hanging } from '../../replay/hanging.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Activities, createFakeActivities, createTemporal } from './harness.ts';

const SOURCE = { kind: 'git', url: 'https://git.example/hello.git', branch: null } as const;

describe('a restart with new credentials', { timeout: 300_000 }, () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  before(async () => {
    temporal = await createTemporal();
  });
  after(() => temporal.stop());

  const restartOf = (of: BuildRequest, buildId = `${of.buildId}_restart`): RestartRequest => {
    const { service, environment, serviceId } = of;
    const asked = { requestedBy: 'schedule', requestId: 'req_night', requestedAt: new Date().toISOString() };
    return { ...{ service, environment, serviceId, buildId, installedBefore: 5_000 }, ...asked };
  };
  const restart = (request: RestartRequest): Promise<RestartOutcome> =>
    createRestartCommands(temporal.client).restart(request);
  const use = async <T>(overrides: Partial<Activities>, body: (journal: string[]) => Promise<T>): Promise<T> => {
    const { activities, journal } = createFakeActivities(temporal.directory, overrides);
    return await temporal.withActivities(activities, () => body(journal));
  };
  const ended = (journal: string[], buildId: string, how: string) =>
    waitUntil(`${buildId} ${how}`, () => journal.includes(`${buildId} ${how}`));

  it('installs what serves once more, builds nothing, and needs no slot', async () => {
    const request = restartOf(buildRequest());
    const requestSlot: Activities['requestSlot'] = () => Promise.reject(new FairleadError('INTERNAL', 'no slot'));
    await use({ requestSlot }, async (journal) => {
      assert.equal(await restart(request), 'started');
      await ended(journal, request.buildId, 'completed');
      const steps = journal
        .filter((entry) => entry.startsWith(`${request.buildId} `))
        .map((entry) => entry.split(' ')[1]);
      for (const step of ['installWorkload', 'checkHealth', 'registerRelease']) assert.ok(steps.includes(step), step);
      for (const step of ['fetchSource', 'buildImage', 'provisionDatabases']) assert.ok(!steps.includes(step), step);
    });
  });

  it('neither replaces nor waits behind a build of people, which goes on', async () => {
    const build = buildRequest();
    const held = hanging('buildImage');
    await use(held.overrides, async (journal) => {
      await temporal.commands.request(build);
      await waitUntil('the step to begin', held.begun);
      const request = restartOf(build);
      assert.equal(await restart(request), 'busy');
      held.release();
      await ended(journal, build.buildId, 'completed');
      assert.ok(!journal.includes(`${request.buildId} restart`));
    });
  });

  describe('where a build waits for a grant', () => {
    /** A build that waits until `decide`, and goes on then. */
    async function waiting(overrides: Partial<Activities>, body: (of: Waiting) => Promise<void>): Promise<void> {
      const build = buildRequest({ waitForGrantsSeconds: 3_600 });
      const failure = { code: 'SCOPE_GRANT_BLOCKED', message: 'grant sgr_1 is pending', step: 'scope-grants' } as const;
      let isDecided = false;
      let reads = 0;
      const own: Partial<Activities> = {
        createScopeGrants: async () => {
          if (!isDecided) throw new FairleadError(failure.code, failure.message);
          return { facts: {} };
        },
        readGrantDecisions: async () => {
          reads += 1;
          return isDecided ? { state: 'granted' } : { state: 'open', failure };
        },
        resolveHead: async () => ({ commit: 'a'.repeat(40), branch: 'main' }),
      };
      await use({ ...own, ...overrides }, async (journal) => {
        await temporal.commands.request(build);
        await waitUntil('the coordinator to keep the build', () => reads === 2);
        const decide = async () => {
          isDecided = true;
          await temporal.directory.tellDecided(build);
        };
        await body({ build, request: restartOf(build), journal, decide });
      });
    }
    interface Waiting {
      readonly build: BuildRequest;
      readonly request: RestartRequest;
      readonly journal: string[];
      readonly decide: () => Promise<void>;
    }

    it('installs what serves at once; the build waits on, and goes on once it is decided', async () => {
      await waiting({}, async ({ build, request, journal, decide }) => {
        assert.equal(await restart(request), 'started');
        await ended(journal, request.buildId, 'completed');
        assert.ok(!journal.some((entry) => entry.startsWith(`${build.buildId} failed`)));
        await decide();
        await ended(journal, build.buildId, 'completed');
        const installs = journal.filter((entry) => entry.endsWith(' installWorkload'));
        assert.deepEqual(installs, [`${request.buildId} installWorkload`, `${build.buildId} installWorkload`]);
      });
    });

    it('decided while the restart is opened or at work, the build goes on after it: neither is lost', async () => {
      for (const at of ['openRestart', 'installWorkload'] as const) {
        const gate = Promise.withResolvers<void>();
        let begun = false;
        const held = async (): Promise<void> => {
          begun = true;
          await gate.promise;
        };
        const { activities: fake } = createFakeActivities(temporal.directory);
        const overrides: Partial<Activities> =
          at === 'openRestart'
            ? { openRestart: (of) => held().then(() => fake.openRestart(of)) }
            : { installWorkload: (input) => held().then(() => fake.installWorkload(input)) };
        await waiting(overrides, async ({ build, request, journal, decide }) => {
          const outcome = restart(request);
          await waitUntil('the restart to begin', () => begun);
          await decide();
          gate.resolve();
          assert.equal(await outcome, 'started');
          await ended(journal, request.buildId, 'completed');
          await ended(journal, build.buildId, 'completed');
        });
      }
    });

    it('who asks for the same joins the build that waits; a newer build replaces it, and the restart', async () => {
      const held = hanging('provisionUserAccess');
      await waiting(held.overrides, async ({ build, request, journal, decide }) => {
        assert.equal(await restart(request), 'started');
        await waitUntil('the restart to begin', held.begun);
        const same = { ...build, buildId: `${build.buildId}_same` };
        assert.equal((await temporal.commands.request(same)).buildId, build.buildId);
        const commit = 'b'.repeat(40);
        const newer = buildRequest({ service: build.service, source: { ...SOURCE, commit } });
        assert.equal((await temporal.commands.request(newer)).supersededBuildId, build.buildId);
        await ended(journal, build.buildId, 'failed superseded');
        await ended(journal, request.buildId, 'failed superseded');
        held.release();
        await decide();
        await ended(journal, newer.buildId, 'completed');
      });
    });
  });

  it('gives way to a build of people before it installs, and is waited for afterwards', async () => {
    for (const [at, how] of [
      ['provisionUserAccess', 'failed superseded'],
      ['installWorkload', 'completed'],
    ] as const) {
      const build = buildRequest();
      const request = restartOf(build);
      const held = hanging(at);
      await use(held.overrides, async (journal) => {
        assert.equal(await restart(request), 'started');
        await waitUntil('the step to begin', held.begun);
        const { supersededBuildId } = await temporal.commands.request(build);
        assert.equal(supersededBuildId, request.buildId);
        held.release();
        await ended(journal, request.buildId, how);
        await ended(journal, build.buildId, 'completed');
        assert.ok(journal.indexOf(`${request.buildId} ${how}`) < journal.indexOf(`${build.buildId} checkHealth`));
      });
    }
  });

  it('that fails or is cancelled is undone', async () => {
    const failing = restartOf(buildRequest());
    const checkHealth = () => Promise.reject(new FairleadError('HEALTH_CHECK_FAILED', 'no answer'));
    await use({ checkHealth }, async (journal) => {
      await restart(failing);
      await ended(journal, failing.buildId, 'failed step_failed');
      assert.ok(journal.includes(`${failing.buildId} restorePrevious`));
    });
    const cancelled = restartOf(buildRequest());
    const held = hanging('installWorkload');
    await use(held.overrides, async (journal) => {
      await restart(cancelled);
      await waitUntil('the step to begin', held.begun);
      await temporal.commands.cancel(cancelled);
      await ended(journal, cancelled.buildId, 'failed cancelled');
      assert.ok(journal.includes(`${cancelled.buildId} restorePrevious`));
    });
  });

  it('asked for twice, it is one; of two at once, one', async () => {
    const first = restartOf(buildRequest());
    const held = hanging('installWorkload');
    await use(held.overrides, async (journal) => {
      const other = { ...first, buildId: `${first.buildId}_other` };
      const outcomes = await Promise.all([restart(first), restart(other)]);
      assert.deepEqual(outcomes.toSorted(), ['busy', 'started']);
      const own = outcomes[0] === 'started' ? first : other;
      assert.equal(await restart({ ...own, requestedAt: '2026-01-02T00:00:00.000Z' }), 'started');
      held.release();
      await ended(journal, own.buildId, 'completed');
      assert.equal(journal.filter((entry) => entry.endsWith(' restart')).length, 1);
    });
  });

  it('is not made where nothing serves that was installed before', async () => {
    const request = restartOf(buildRequest());
    await use({ openRestart: async () => ({ kind: 'not needed' }) }, async (journal) => {
      assert.equal(await restart(request), 'not needed');
      assert.deepEqual(journal, []);
    });
  });
});
