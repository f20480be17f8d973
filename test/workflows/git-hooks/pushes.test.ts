import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import { reportWorkflowId } from '../../../domain/git-hooks/messages.ts';
import { MAIN } from '../../support/in-memory/git-hooks-parts.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startPushes, type TestPushes } from './harness.ts';

describe('workflows of pushes', { timeout: 300_000 }, () => {
  let pushes: TestPushes;
  before(async () => {
    pushes = await startPushes();
  });
  beforeEach(() => {
    pushes.faults.before = {};
    pushes.faults.after = {};
    pushes.parts.refs.failure = null;
    pushes.parts.gitHost.failure = null;
  });
  after(() => pushes.stop());

  /** One whose commits show statuses. */
  async function withToken() {
    const on = await pushes.parts.connected();
    const token = pushes.parts.sealToken(on.connection.id, 'a token of the provider');
    await pushes.parts.gitConnections.replace({ ...on.connection, token }, 1);
    const head = pushes.parts.refs.commit(on.address, MAIN, { a: '1' });
    pushes.parts.gitHost.repositories.set(on.address, new Set([head]));
    return { ...on, head };
  }
  const statesOf = (commit: string) => pushes.parts.gitHost.statuses(commit).map(({ state }) => state);

  it('1,000 deliveries at once are one build of the head, and each says so', async () => {
    const on = await pushes.parts.connected();
    pushes.parts.refs.commit(on.address, MAIN, { a: '1' });
    pushes.parts.refs.reads = 0;
    const ids: string[] = [];
    // The test server takes some at once; the first look is under way all the while.
    while (ids.length < 1_000) ids.push(...(await Promise.all(Array.from({ length: 50 }, () => pushes.push(on)))));
    await pushes.looked(on);
    assert.equal(pushes.requestsOf(on).length, 1);
    assert.ok(pushes.parts.refs.reads < 500, `looked ${pushes.parts.refs.reads} times`);
    const reasons = await Promise.all(ids.map(pushes.reasonsOf));
    assert.ok(reasons.flat().includes('deployed'));
    assert.ok(reasons.flat().every((reason) => reason === 'deployed' || reason === 'unchanged'));
    assert.ok(reasons.every((of) => of?.length === 1));
  });

  it('pushes that come while it looks are looked at once more, and the newest head wins', async () => {
    const on = await pushes.parts.connected();
    pushes.parts.refs.commit(on.address, MAIN, { a: '1' });
    let pushed = 0;
    pushes.faults.after.lookAtRef = () => {
      if (pushed > 0) return;
      pushed += 1;
      pushes.parts.refs.commit(on.address, MAIN, { a: '2' });
      void pushes.push(on);
    };
    await pushes.push(on);
    await waitUntil('both heads to be asked for', async () => pushes.requestsOf(on).length === 2);
    await pushes.looked(on);
    assert.equal(pushes.requestsOf(on).length, 2);
  });

  it('a worker that dies after each step asks for one build and shows one end', async () => {
    for (const step of ['lookAtRef', 'askForBuild', 'recordOutcomes', 'readBuildState', 'reportStatus'] as const) {
      const on = await withToken();
      let deaths = 0;
      pushes.faults.after = {
        [step]: () => {
          deaths += 1;
          if (deaths <= 2) throw new Error('killed');
        },
      };
      const id = await pushes.push(on);
      await pushes.looked(on);
      const [request] = pushes.requestsOf(on);
      assert.equal(pushes.requestsOf(on).length, 1, step);
      await pushes.parts.end(request?.buildId ?? '');
      await pushes.ended(reportWorkflowId(request?.buildId ?? ''));
      assert.ok(deaths > 2, step);
      assert.deepEqual([statesOf(on.head), await pushes.reasonsOf(id)], [['success'], ['deployed']], step);
    }
  });

  it('shows that a build began before it ends, and how it ended although the git host was away', async () => {
    const on = await withToken();
    await pushes.push(on);
    await pushes.looked(on);
    const buildId = pushes.requestsOf(on)[0]?.buildId ?? '';
    await waitUntil('the begin to be shown', async () => statesOf(on.head).includes('pending'));
    let attempts = 0;
    pushes.faults.before.reportStatus = () => {
      attempts += 1;
      if (attempts < 5) throw new FairleadError('UNAVAILABLE', 'away', { retryable: true, system: 'git-host' });
    };
    const failure = { code: 'HEALTH_CHECK_FAILED', message: 'no answer', step: 'health-check' };
    await pushes.parts.end(buildId, { status: 'failed', reason: 'step_failed', failure });
    await pushes.ended(reportWorkflowId(buildId));
    assert.deepEqual([attempts, statesOf(on.head)], [5, ['failure']]);
  });

  it('a status that is never taken ends no build, and a revoked token shows on the connection', async () => {
    const on = await withToken();
    pushes.parts.gitHost.failure = new FairleadError('GIT_TOKEN_REFUSED', 'The git host does not take the token.');
    const id = await pushes.push(on);
    await pushes.looked(on);
    const buildId = pushes.requestsOf(on)[0]?.buildId ?? '';
    await pushes.parts.end(buildId);
    await pushes.ended(reportWorkflowId(buildId));
    assert.deepEqual([statesOf(on.head), await pushes.reasonsOf(id)], [[], ['deployed']]);
    assert.equal((await pushes.parts.gitConnections.find(on.connection.id))?.tokenProblem?.code, 'GIT_TOKEN_REFUSED');
  });

  it('a repository that is away for a while is looked at when it is back; one that stays away is told', async () => {
    const on = await pushes.parts.connected();
    pushes.parts.refs.commit(on.address, MAIN, { a: '1' });
    let attempts = 0;
    pushes.faults.before.lookAtRef = () => {
      attempts += 1;
      if (attempts < 4) throw new FairleadError('SOURCE_UNREACHABLE', 'away', { retryable: true });
    };
    const back = await pushes.push(on);
    await pushes.looked(on);
    assert.deepEqual([attempts, await pushes.reasonsOf(back)], [4, ['deployed']]);
    pushes.parts.refs.commit(on.address, MAIN, { a: '2' });
    // As after the last attempt, for which a test does not wait.
    pushes.faults.before.lookAtRef = () => {
      throw new FairleadError('UNAVAILABLE', 'git.example cannot be reached');
    };
    const away = await pushes.push(on);
    await pushes.looked(on);
    assert.deepEqual(await pushes.reasonsOf(away), ['source_unreachable']);
    pushes.faults.before = {};
    const later = await pushes.push(on);
    await pushes.looked(on);
    assert.deepEqual(await pushes.reasonsOf(later), ['deployed'], 'the head was not taken for looked at');
  });
});
