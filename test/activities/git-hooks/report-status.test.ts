import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reportStatus } from '../../../activities/git-hooks/report-status.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { finishRemoval } from '../../../domain/git-hooks/finish-removal.ts';
import { buildRecord } from '../../ports/records.ts';
import { createGitHooksParts } from '../../support/in-memory/git-hooks-parts.ts';

const never = new AbortController().signal;
const COMMIT = 'c'.repeat(40);
const TOKEN = 'canary-token-of-a-git-host';

describe('the status of a commit', () => {
  const parts = createGitHooksParts();
  let made = 0;

  async function built(changes: Partial<Parameters<typeof parts.end>[1]> | null) {
    made += 1;
    const on = await parts.connected();
    const token = parts.sealToken(on.connection.id, TOKEN);
    await parts.gitConnections.replace({ ...on.connection, token }, 1);
    parts.gitHost.repositories.set(on.address, new Set([COMMIT]));
    const buildId = `bld_status_${made}`;
    await parts.builds.create(buildRecord({ id: buildId, serviceId: on.serviceId, service: on.service }));
    if (changes !== null) await parts.end(buildId, changes);
    const report = {
      connectionId: on.connection.id,
      buildId,
      service: on.service,
      environment: 'prod',
      commit: COMMIT,
    } as const;
    const shown = () =>
      parts.gitHost.statuses(COMMIT).filter(({ context }) => context === `fairlead/${on.service}/prod`);
    const problem = async () => (await parts.gitConnections.find(on.connection.id))?.tokenProblem ?? null;
    return { ...on, report, shown, problem };
  }

  it('says that a build is on its way, then how it ended, on one line', async () => {
    const failure = { code: 'IMAGE_BUILD_FAILED', message: 'npm ERR! canary of the build', step: 'image-build' };
    const rows = [
      [{ status: 'completed' }, 'success', /^Live in prod$/],
      [{ status: 'failed', reason: 'step_failed', failure }, 'failure', /^Failed: Build image \(IMAGE_BUILD_FAILED\)$/],
      [{ status: 'failed', reason: 'superseded', supersededBy: 'bld_9' }, 'error', /^Replaced by bld_9/],
      [{ status: 'failed', reason: 'cancelled' }, 'error', /was cancelled$/],
      [{ status: 'failed', reason: 'abandoned' }, 'error', /not carried to its end/],
    ] as const;
    for (const [end, state, description] of rows) {
      const { report, shown } = await built(null);
      await reportStatus(parts, { report, phase: 'begun' }, never);
      const page = `https://console.example/builds/${report.buildId}`;
      assert.deepEqual([shown()[0]?.state, shown()[0]?.targetUrl], ['pending', page]);
      await parts.end(report.buildId, end as object);
      for (let times = 0; times < 2; times += 1) await reportStatus(parts, { report, phase: 'ended' }, never);
      assert.deepEqual(
        shown().map((status) => status.state),
        [state],
      );
      assert.match(shown()[0]?.description ?? '', description);
      assert.equal(shown()[0]?.targetUrl === page, state !== 'success', 'what is live leads to the service');
    }
    assert.ok(!JSON.stringify(parts.gitHost.statuses(COMMIT)).includes('canary'));
  });

  it('that is refused is noted on the connection and ends nothing; the note goes with the next that is taken', async () => {
    const { report, shown, problem } = await built({ status: 'completed' });
    parts.gitHost.failure = new FairleadError('GIT_TOKEN_REFUSED', 'The git host does not take the token.');
    await reportStatus(parts, { report, phase: 'ended' }, never);
    assert.equal((await problem())?.code, 'GIT_TOKEN_REFUSED');
    parts.gitHost.failure = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
    await assert.rejects(reportStatus(parts, { report, phase: 'ended' }, never), { code: 'UNAVAILABLE' });
    parts.gitHost.failure = null;
    await reportStatus(parts, { report, phase: 'ended' }, never);
    assert.deepEqual([shown().length, await problem()], [1, null]);
  });

  it('is left to the newer build of a commit that was pushed again, however late the end of the older one is told', async () => {
    const { report, shown, serviceId, service } = await built({ status: 'failed', reason: 'superseded' });
    const source = { kind: 'git', url: 'https://git.example/a.git', branch: 'main', commit: COMMIT } as const;
    const again = { serviceId, service, source, createdAt: new Date(Date.now() + 60_000) };
    await parts.builds.create(buildRecord({ ...again, id: 'bld_retried', requestId: 'by hand' }));
    await reportStatus(parts, { report, phase: 'ended' }, never);
    assert.equal(shown()[0]?.state, 'error', 'of a build that no push asked for nobody else tells');
    await parts.builds.create(buildRecord({ ...again, id: 'bld_pushed_again', requestId: 'bld_pushed_again' }));
    await parts.end('bld_pushed_again');
    await reportStatus(parts, { report: { ...report, buildId: 'bld_pushed_again' }, phase: 'ended' }, never);
    for (const phase of ['begun', 'ended'] as const) await reportStatus(parts, { report, phase }, never);
    assert.deepEqual(
      shown().map(({ state }) => state),
      ['success'],
    );
  });

  it('shows the end, not the begin, of a build that has ended by then', async () => {
    const { report, shown } = await built({ status: 'completed' });
    await reportStatus(parts, { report, phase: 'begun' }, never);
    assert.equal(shown()[0]?.state, 'success');
  });

  it('is still told how a build ended that ran while its repository was disconnected, and of no begin', async () => {
    const { report, shown, connection, serviceId, service } = await built(null);
    await reportStatus(parts, { report, phase: 'begun' }, never);
    const stored = await parts.gitConnections.find(connection.id);
    assert.ok(stored !== null);
    const { id, org, provider, repository, apiUrl, token } = stored;
    const removal = {
      ...{ id, org, provider, repository, apiUrl, token, services: [{ serviceId, service }] },
      ...{ hookAddress: 'https://builder.example/hooks/git/1', askedBy: 'usr_ada', requestId: 'req_1' },
      askedAt: new Date(),
    };
    await parts.gitConnections.beginRemoval(removal);
    await finishRemoval(parts, removal, never);
    assert.notEqual(await parts.gitConnections.findRemoval(id), null, 'its build runs');
    await reportStatus(parts, { report, phase: 'begun' }, never);
    assert.deepEqual(
      shown().map(({ state }) => state),
      ['pending'],
    );
    await parts.end(report.buildId, { status: 'completed' });
    await finishRemoval(parts, removal, never);
    await reportStatus(parts, { report, phase: 'ended' }, never);
    assert.deepEqual(
      shown().map(({ state }) => state),
      ['success'],
    );
    const later = { ...parts, now: () => new Date(Date.now() + 10 * 60_000) };
    await finishRemoval(later, removal, never);
    assert.equal(await parts.gitConnections.findRemoval(id), null, 'nothing of it is kept');
    await reportStatus(parts, { report, phase: 'ended' }, never);
    assert.equal(shown().length, 1);
  });

  it('of a commit that is gone, a connection that is, or one without a token is not set', async () => {
    const gone = await built({ status: 'completed' });
    await reportStatus(parts, { report: { ...gone.report, commit: 'd'.repeat(40) }, phase: 'ended' }, never);
    assert.equal(await gone.problem(), null);
    await parts.gitConnections.remove(gone.connection.id);
    await reportStatus(parts, { report: gone.report, phase: 'ended' }, never);
    assert.deepEqual(gone.shown(), []);
  });
});
