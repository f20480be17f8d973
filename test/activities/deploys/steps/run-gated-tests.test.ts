import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restorePrevious } from '../../../../activities/deploys/restore-previous.ts';
import { keepUntested, runGatedTests } from '../../../../activities/deploys/steps/run-gated-tests.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { testRecord } from '../../../ports/records.ts';
import { useInstalled } from '../use-installed.ts';

const SIGNAL = new AbortController().signal;
const AWAY = new FairleadError('UNAVAILABLE', 'The test runner cannot be reached.', {
  ...{ system: 'test-runner', retryable: true },
});
const BROKEN = testRecord({ name: 'orders', path: '/orders' });

describe('gated-tests', () => {
  it('passes a release whose tests pass, twice, and leaves it to the registration', async () => {
    const { parts, attempt, facts, serving } = await useInstalled([testRecord(), testRecord({ name: 'again' })]);
    for (let again = 1; again <= 2; again += 1) {
      const step = attempt(facts);
      assert.deepEqual(await runGatedTests(parts, step), {});
      assert.match(step.lines.join('\n'), /^passed {2}home: GET \/ answered 200\npassed {2}again: .*\n2 tests passed$/);
    }
    assert.equal((await serving()).active, 'rel_old');
  });

  it('a failed test ends the build, and the workload stays when the install is undone; again changes nothing', async () => {
    const { parts, build, attempt, facts, serving, workload, before, releaseId } = await useInstalled([
      testRecord(),
      BROKEN,
    ]);
    for (let again = 1; again <= 2; again += 1) {
      const step = attempt(facts);
      await assert.rejects(runGatedTests(parts, step), {
        ...{ code: 'TESTS_FAILED', retryable: false },
        message: `1 of 2 tests failed: orders: GET /orders answered 500, expected 2xx. The new release stays and serves; go back to the one before with: fairlead rollback hello --env prod`,
      });
      assert.deepEqual(step.diagnostics, [
        { title: 'Deploy-gated tests', lines: ['orders: GET /orders answered 500, expected 2xx'] },
      ]);
      await restorePrevious(parts, build, SIGNAL);
      assert.deepEqual(await serving(), {
        active: releaseId,
        routed: workload.id,
        running: [before.id, workload.id].sort(),
      });
    }
    assert.equal((await parts.services.find('hello'))?.lastBuildId, build.buildId);
  });

  it('says so where no release is there to go back to', async () => {
    const failure = { code: 'TESTS_FAILED', message: 'failed', step: 'gated-tests' };
    const { parts, attempt, facts } = await useInstalled([BROKEN], { status: 'failed', failure });
    await assert.rejects(runGatedTests(parts, attempt(facts)), {
      message: /The new release stays and serves; there is none before it to go back to\.$/,
    });
  });

  it('names the first of many failed tests', async () => {
    const tests = Array.from({ length: 9 }, (_, index) => testRecord({ name: `t${index}`, path: '/x' }));
    const { parts, attempt, facts } = await useInstalled(tests);
    await assert.rejects(runGatedTests(parts, attempt(facts)), { message: /^9 of 9 .* t4: [^;]*; and 4 more\. / });
  });

  it('a runner without a result is asked again, and the third time ends the build as a failed test does', async () => {
    const { parts, build, attempt, facts, serving, workload, releaseId } = await useInstalled([testRecord()]);
    const away = { ...parts, testRunner: { run: () => Promise.reject(AWAY) } };
    for (const number of [1, 2]) {
      await assert.rejects(runGatedTests(away, { ...attempt(facts), attempt: number }), (error) => error === AWAY);
      assert.equal((await serving()).active, 'rel_old');
    }
    await assert.rejects(runGatedTests(away, { ...attempt(facts), attempt: 3 }), {
      ...{ code: 'TESTS_FAILED', retryable: false },
      message: /^The tests could not be run: The test runner cannot be reached\. The new release stays/,
    });
    await restorePrevious(parts, build, SIGNAL);
    const { active, routed } = await serving();
    assert.deepEqual([active, routed], [releaseId, workload.id]);
  });

  it('tests without a result, as their workers were killed until the deadline, end the build as failed ones do', async () => {
    const { parts, build, facts, serving, workload, before, releaseId } = await useInstalled([testRecord()]);
    const message = 'Deploy-gated tests did not finish within its deadline of 720 seconds.';
    const failure = { code: 'STEP_DEADLINE_EXCEEDED', message, step: 'gated-tests' };
    for (let again = 1; again <= 2; again += 1) {
      assert.deepEqual(await keepUntested(parts, { build, facts, failure }), {
        ...{ code: 'TESTS_FAILED', step: 'gated-tests' },
        message: `The tests have no result: ${message} The new release stays and serves; go back to the one before with: fairlead rollback hello --env prod`,
      });
      await restorePrevious(parts, build, SIGNAL);
      const running = [before.id, workload.id].sort();
      assert.deepEqual(await serving(), { active: releaseId, routed: workload.id, running });
    }
  });

  it('a release whose workload is gone, or whose install was undone, is not kept for want of a result', async () => {
    const { parts, build, facts, serving, workload } = await useInstalled([testRecord()]);
    const failure = { code: 'STEP_DEADLINE_EXCEEDED', message: 'late', step: 'gated-tests' };
    await parts.runtime.remove(workload, 0);
    await assert.rejects(keepUntested(parts, { build, facts, failure }), { code: 'INSTALL_FAILED' });
    const undone = await useInstalled([testRecord()]);
    await restorePrevious(undone.parts, undone.build, SIGNAL);
    const late = { build: undone.build, facts: undone.facts, failure };
    await assert.rejects(keepUntested(undone.parts, late), (error) => error instanceof FairleadError);
    assert.deepEqual([(await serving()).active, (await undone.serving()).active], ['rel_old', 'rel_old']);
  });

  it('a refusal of the runner ends the build at once', async () => {
    const { parts, attempt, facts } = await useInstalled([testRecord()]);
    const refused = new FairleadError('VALIDATION_FAILED', 'tests: no.');
    const testRunner = { run: () => Promise.reject(refused) };
    await assert.rejects(runGatedTests({ ...parts, testRunner }, attempt(facts)), { message: /be run: tests: no\./ });
  });

  it('a cancelled run registers nothing: the install is undone', async () => {
    const { parts, build, attempt, facts, serving, before } = await useInstalled([testRecord()]);
    const cancel = new AbortController();
    const reason = new Error('cancelled');
    const testRunner = {
      run: () => {
        cancel.abort(reason);
        return Promise.reject(AWAY);
      },
    };
    const step = { ...attempt(facts, cancel.signal), attempt: 3 };
    await assert.rejects(runGatedTests({ ...parts, testRunner }, step), (error) => error === reason);
    await restorePrevious(parts, build, SIGNAL);
    assert.deepEqual(await serving(), { active: 'rel_old', routed: before.id, running: [before.id] });
  });

  it('an install that was undone meanwhile is not brought back by a failed test', async () => {
    const { parts, build, attempt, facts, serving } = await useInstalled([BROKEN]);
    const late = attempt(facts);
    const testRunner = {
      run: async () => {
        await restorePrevious(parts, build, SIGNAL);
        return [{ passed: false, message: 'no' }];
      },
    };
    await assert.rejects(runGatedTests({ ...parts, testRunner }, late), { code: 'CONFLICT' });
    assert.equal((await serving()).active, 'rel_old');
  });

  it('a workload that is gone, and a worker without a runner, are told as such', async () => {
    const { parts, attempt, facts, workload } = await useInstalled([testRecord()]);
    const none = runGatedTests({ ...parts, testRunner: null }, attempt(facts));
    await assert.rejects(none, { code: 'UNAVAILABLE', system: 'test-runner' });
    await parts.runtime.remove(workload, 0);
    await assert.rejects(runGatedTests(parts, attempt(facts)), { code: 'INSTALL_FAILED', message: /is gone/ });
  });
});
