import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Context } from '@temporalio/activity';
import type { BuildRequest, PlannedStep } from '../../../domain/deploys/build.ts';
import { type BuildOutcome, buildWorkflowId } from '../../../domain/deploys/messages.ts';
import type { StepRun } from '../../../domain/deploys/step-run.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { buildRequest } from '../../ports/records.ts';
import { type Activities, CATALOG, createFakeActivities, createTemporal } from './harness.ts';

/** A row of a plan that no table of steps has: what is recorded is what counts. */
function row(key: string, run: Partial<StepRun> & { activity: string }): PlannedStep {
  return {
    ...{ key, title: key, stage: 'deploying', onFailure: 'fail', state: 'pending', reason: null },
    run: {
      ...{ local: false, attemptSeconds: 30, deadlineSeconds: 60, failOpen: [], undo: null },
      ...{ cancellable: true, supersedable: true },
      ...run,
    },
  };
}

const away = (system?: string) =>
  new FairleadError('UNAVAILABLE', 'away', { retryable: true, ...(system === undefined ? {} : { system }) });
const REGISTRY_AWAY = [{ system: 'registry', codes: ['UNAVAILABLE'] }] as const;

describe('a build runs the plan that is recorded on it', () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  before(async () => {
    temporal = await createTemporal();
  });
  after(() => temporal.stop());

  // Without the workflow of slots: the time-skipping server loses a task of it that ends just when a build asks.
  const fakes = (overrides: Partial<Activities> = {}) =>
    createFakeActivities(temporal.directory, { requestSlot: async () => true, ...overrides });
  const failing = (error: () => Error) => async () => {
    throw error();
  };

  async function run(activities: Activities, request: BuildRequest, ...plan: readonly (readonly PlannedStep[])[]) {
    return await temporal.withActivities(activities, async () => {
      const workflowId = buildWorkflowId(request.buildId);
      const args = [request, ...plan];
      const handle = await temporal.client.workflow.start('runBuild', { workflowId, taskQueue: TASK_QUEUE, args });
      return (await handle.result()) as BuildOutcome;
    });
  }

  it('in its order, with steps that the table of this version does not have', async () => {
    const { activities, journal } = fakes();
    const request = buildRequest();
    const plan = [row('push-first', { activity: 'pushImage' }), row('of-another-version', { activity: 'fetchSource' })];
    assert.equal((await run(activities, request, plan)).status, 'completed');
    assert.deepEqual(
      journal.map((entry) => entry.split(' ')[1]),
      ['pushImage', 'fetchSource', 'completed'],
    );
  });

  it('and what a step planned anew in place of the rest', async () => {
    const { activities, journal } = fakes({
      readCatalog: async () => ({ facts: {}, plan: [row('only-this', { activity: 'checkHealth' })] }),
    });
    const plan = [row('catalog', { activity: 'readCatalog' }), row('not-any-more', { activity: 'pushImage' })];
    assert.equal((await run(activities, buildRequest(), plan)).status, 'completed');
    assert.deepEqual(
      journal.map((entry) => entry.split(' ')[1]),
      ['checkHealth', 'completed'],
    );
  });

  it('or, when a worker of version 0.1 opened it, what that version derived', async () => {
    const { activities, journal } = fakes();
    assert.equal((await run(activities, buildRequest())).status, 'completed');
    assert.deepEqual(
      journal.map((entry) => entry.split(' ')[1]),
      [
        ...['fetchSource', 'readCatalog', 'prepareContainerFile', 'preflightConfig', 'buildImage', 'pushImage'],
        ...['provisionOAuthClient', 'installWorkload', 'checkHealth', 'registerRelease', 'completed'],
      ],
    );
  });

  it('derived without a client for a catalog that declares no auth, and from the failed step for a retry', async () => {
    const facts = { catalog: { ...CATALOG, auth: null }, imageDigest: 'x@sha256:1' };
    const { activities, journal } = fakes({ readCatalog: async () => ({ facts }) });
    const resume = { buildId: 'bld_old', fromStep: 'image-push', facts };
    await run(activities, buildRequest({ kind: 'retry', resume }));
    assert.deepEqual(
      journal.map((entry) => entry.split(' ')[1]),
      [
        ...['fetchSource', 'prepareContainerFile', 'buildImage', 'pushImage'],
        ...['installWorkload', 'checkHealth', 'registerRelease', 'completed'],
      ],
    );
  });

  describe('a failure that the contract lets pass', () => {
    const goesOn: readonly [string, Partial<StepRun>, () => Error][] = [
      ['by its code, from the system that may fail', { failOpen: REGISTRY_AWAY }, () => away('registry')],
      ['of any code, whether or not it names a system', { failOpen: [{ system: 'dns', codes: 'any' }] }, () => away()],
      [
        'of any code',
        { failOpen: [{ system: 'dns', codes: 'any' }] },
        () => new FairleadError('INTERNAL', 'broken', { system: 'dns' }),
      ],
    ];
    for (const [name, rules, error] of goesOn) {
      it(`${name}, is recorded as a warning, and the build goes on`, async () => {
        const { activities, journal, finished } = fakes({ pushImage: failing(error) });
        const request = buildRequest();
        const plan = [row('snapshot', { activity: 'pushImage', ...rules }), row('next', { activity: 'checkHealth' })];
        assert.equal((await run(activities, request, plan)).status, 'completed');
        const [warned, ...rest] = journal.map((entry) => entry.replace(`${request.buildId} `, ''));
        assert.match(warned ?? '', /^warned snapshot (UNAVAILABLE|INTERNAL)$/);
        assert.deepEqual(rest, ['checkHealth', 'completed']);
        assert.equal(finished[0]?.failure, null);
      });
    }

    it('is a deadline as well, where the contract names it', async () => {
      const codes = ['STEP_DEADLINE_EXCEEDED'] as const;
      const plan = [
        row('slow', {
          activity: 'pushImage',
          attemptSeconds: 1,
          deadlineSeconds: 1,
          failOpen: [{ system: 'registry', codes }],
        }),
      ];
      const { activities, journal } = fakes({ pushImage: () => Context.current().cancelled });
      const request = buildRequest();
      assert.equal((await run(activities, request, plan)).status, 'completed');
      assert.deepEqual(journal, [
        `${request.buildId} warned slow STEP_DEADLINE_EXCEEDED`,
        `${request.buildId} completed`,
      ]);
    });
  });

  const ends: readonly [string, () => Error][] = [
    ['of another system', () => away('wallet')],
    ['of a system that is not named, such as our own database,', () => away()],
    ['of another code', () => new FairleadError('FORBIDDEN', 'no', { system: 'registry' })],
  ];
  for (const [name, error] of ends) {
    it(`a failure ${name} ends the build, though the step may fail in another way`, async () => {
      const { activities } = fakes({ pushImage: failing(error) });
      const plan = [row('snapshot', { activity: 'pushImage', failOpen: REGISTRY_AWAY })];
      const outcome = await run(activities, buildRequest(), plan);
      assert.equal(outcome.status, 'failed');
      assert.equal(outcome.failure?.step, 'snapshot');
    });
  }

  describe('a step without a result', () => {
    const codes = ['STEP_DEADLINE_EXCEEDED'] as const;
    const plan = (run: Partial<StepRun> = {}) => [
      row('install', { activity: 'pushImage', undo: { activity: 'restorePrevious', until: 'end' } }),
      row('tests', {
        ...{ activity: 'runGatedTests', attemptSeconds: 1, deadlineSeconds: 2 },
        noResult: { codes, activity: 'keepUntested' },
        ...run,
      }),
      row('end', { activity: 'checkHealth' }),
    ];
    /** Of a worker that is killed in the middle: nobody hears of the attempt any more. */
    const killed = () => Context.current().cancelled;

    it('fails the build as its row says, before the undo; what it keeps is in the facts', async () => {
      const { activities, journal } = fakes({ runGatedTests: killed });
      const request = buildRequest();
      const outcome = await run(activities, request, plan());
      assert.deepEqual(
        [outcome.status, outcome.failure?.code, outcome.failure?.step],
        ['failed', 'TESTS_FAILED', 'tests'],
      );
      assert.deepEqual(
        journal.map((entry) => entry.replace(`${request.buildId} `, '')),
        ['pushImage', 'keepUntested STEP_DEADLINE_EXCEEDED', 'restorePrevious', 'failed step_failed'],
      );
    });

    it('fails as it did where its row names another failure, or where nothing can be kept', async () => {
      for (const [name, overrides, run_] of [
        ['another failure', { runGatedTests: failing(() => new FairleadError('INSTALL_FAILED', 'gone')) }, {}],
        [
          'nothing to keep',
          { runGatedTests: killed, keepUntested: failing(() => new FairleadError('CONFLICT', 'undone')) },
          {},
        ],
        ['a plan of before', { runGatedTests: killed }, { noResult: undefined }],
      ] as const) {
        const { activities, journal } = fakes(overrides as Partial<Activities>);
        const outcome = await run(activities, buildRequest(), plan(run_ as Partial<StepRun>));
        assert.equal(
          outcome.failure?.code,
          name === 'another failure' ? 'INSTALL_FAILED' : 'STEP_DEADLINE_EXCEEDED',
          name,
        );
        assert.ok(
          journal.some((entry) => entry.endsWith('restorePrevious')),
          name,
        );
        assert.ok(!journal.some((entry) => entry.includes('keepUntested')), name);
      }
    });
  });

  describe('undoing', () => {
    const UNDONE_LATER = [
      row('a', { activity: 'pushImage', undo: { activity: 'restorePrevious', until: 'end' } }),
      row('b', { activity: 'installWorkload', undo: { activity: 'removeService', until: 'c' } }),
      row('c', { activity: 'checkHealth' }),
      row('end', { activity: 'registerRelease' }),
    ];
    /** Activities that journal the two undos, each of which fails when it is named. */
    const withUndos = (failAt: string, failedUndos: readonly string[] = []) => {
      const made = fakes({ [failAt]: failing(() => new FairleadError('INSTALL_FAILED', 'no')) });
      const undo = (name: string) => async () => {
        made.journal.push(`undo ${name}`);
        if (failedUndos.includes(name)) throw new FairleadError('INTERNAL', `${name} is stuck`);
      };
      made.activities.restorePrevious = undo('restorePrevious');
      made.activities.removeService = undo('removeService');
      return made;
    };
    const undone = (journal: readonly string[]) => journal.filter((entry) => entry.startsWith('undo'));

    const cases: readonly [string, string, readonly string[]][] = [
      ['the effect that failed half-way', 'pushImage', ['undo restorePrevious']],
      ['all effects, the last one first', 'installWorkload', ['undo removeService', 'undo restorePrevious']],
      ['what is not permanent yet', 'registerRelease', ['undo restorePrevious']],
    ];
    for (const [name, failAt, expected] of cases) {
      it(`undoes ${name}`, async () => {
        const { activities, journal } = withUndos(failAt);
        assert.equal((await run(activities, buildRequest(), UNDONE_LATER)).status, 'failed');
        assert.deepEqual(undone(journal), expected);
      });
    }

    it('undoes nothing of a build that completes', async () => {
      const { activities, journal } = withUndos('fetchSource');
      assert.equal((await run(activities, buildRequest(), UNDONE_LATER)).status, 'completed');
      assert.deepEqual(undone(journal), []);
    });

    for (const failedUndos of [['removeService'], ['restorePrevious'], ['removeService', 'restorePrevious']]) {
      it(`writes the terminal record, and in it what could not be undone: ${failedUndos.join(' and ')}`, async () => {
        const { activities, journal, finished } = withUndos('checkHealth', failedUndos);
        const outcome = await run(activities, buildRequest(), UNDONE_LATER);
        assert.equal(outcome.failure?.code, 'INSTALL_FAILED', 'the reason stays the one of the step');
        assert.deepEqual(undone(journal), ['undo removeService', 'undo restorePrevious']);
        const titles = { removeService: 'b', restorePrevious: 'a' } as Record<string, string>;
        assert.deepEqual(
          finished.map(({ undoFailures }) => undoFailures),
          [failedUndos.map((name) => `${titles[name]} could not be undone: ${name} is stuck`)],
        );
      });
    }

    it('tells that a mistake in the program hindered an undo, without its message, by its reference in the log', async () => {
      const { activities, finished } = withUndos('checkHealth');
      activities.restorePrevious = failing(() => new TypeError('x is not a function'));
      assert.equal((await run(activities, buildRequest(), UNDONE_LATER)).status, 'failed');
      assert.deepEqual(finished[0]?.undoFailures, [
        "a could not be undone: Unexpected error; the platform's log has it as err_test",
      ]);
    });
  });
});
