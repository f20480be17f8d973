import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { checkHealth } from '../../../../activities/deploys/steps/check-health.ts';
import type { BuildFacts } from '../../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { releaseRecord } from '../../../ports/records.ts';
import type { Reply } from '../../../support/in-memory/network.ts';
import { movableMonotonicClock, setClockAhead } from '../../../support/move-clocks.ts';
import { useDeploy } from '../use-deploy.ts';

const COMMIT = 'c'.repeat(40);
const answers = (reply: Partial<Reply>): Reply => ({ status: 200, body: JSON.stringify({ commit: COMMIT }), ...reply });

/** A build whose release is installed, and whose public route leads to something that answers so. */
async function withRoute(listener: (path: string) => Reply | null, commitSha: string | null = COMMIT) {
  const deploy = await useDeploy();
  const { parts, build } = deploy;
  const releaseId = build.buildId.replace('bld', 'rel');
  await parts.releases.put(releaseRecord({ id: releaseId, commitSha, healthEndpoint: '/healthz' }));
  const address = parts.network.listen(listener);
  await parts.edge.route('hello', 'prod', { workloadId: 'w', address }, 1);
  const facts: BuildFacts = { releaseId };
  return { ...deploy, facts };
}

describe('health-check', () => {
  it('asks the health endpoint through the public route, and sees its commit', async () => {
    const paths: string[] = [];
    const { parts, attempt, facts } = await withRoute((path) => {
      paths.push(path);
      return answers({});
    });
    const step = attempt(facts);
    assert.deepEqual(await checkHealth(parts, step), { healthReportsCommit: true });
    assert.deepEqual(paths, ['/healthz']);
    assert.deepEqual(step.warnings, []);
    assert.ok(step.lines.some((line) => line.includes(`${parts.edge.url('hello', 'prod')}/healthz answered 200`)));
    assert.deepEqual(await checkHealth(parts, attempt(facts)), { healthReportsCommit: true }, 'a second attempt');
  });

  it('another commit is a warning of the build, none is told in its log alone', async () => {
    for (const [body, said, warnings] of [
      ['{"commit":"another"}', /\/healthz reports commit another; it should return GIT_COMMIT/, 1],
      ['{"status":"ok"}', /\/healthz reports no commit/, 0],
      ['<html>fine</html>', /\/healthz reports no commit/, 0],
    ] as const) {
      const { parts, attempt, facts } = await withRoute(() => answers({ body }));
      const step = attempt(facts);
      assert.deepEqual(await checkHealth(parts, step), { healthReportsCommit: false });
      assert.equal(step.warnings.length, warnings);
      assert.match([...step.warnings, ...step.lines].join('\n'), said);
    }
  });

  it('an upload has no commit to report', async () => {
    const { parts, attempt, facts } = await withRoute(() => answers({ body: 'fine' }), null);
    const step = attempt(facts);
    assert.deepEqual(await checkHealth(parts, step), {});
    assert.deepEqual(step.warnings, []);
  });

  it('of a service whose endpoint nobody declared any answer below 500 is enough, but none of the router', async () => {
    const { parts, attempt, facts, build } = await withRoute(() => answers({ status: 404, body: '' }), null);
    await parts.releases.put(
      releaseRecord({ id: 'rel_alive', commitSha: null, healthEndpoint: '/', healthRule: 'alive' }),
    );
    const alive = { ...attempt(facts), build: { ...build, releaseId: 'rel_alive' } };
    assert.deepEqual(await checkHealth(parts, alive), {});
    await parts.edge.unroute('hello', 'prod', 2);
    const clock = movableMonotonicClock(mock);
    try {
      const current = async (): Promise<null> => {
        clock.tick(20_001);
        return null;
      };
      const edge = { ...parts.edge, current };
      await assert.rejects(checkHealth({ ...parts, edge }, alive), { code: 'HEALTH_CHECK_FAILED' });
    } finally {
      mock.restoreAll();
    }
  });

  it('asks again until the route answers well', async () => {
    let asked = 0;
    const { parts, attempt, facts } = await withRoute(() => {
      asked += 1;
      return answers({ status: asked === 1 ? 502 : 200 });
    });
    assert.deepEqual(await checkHealth(parts, attempt(facts)), { healthReportsCommit: true });
    assert.equal(asked, 2);
  });

  it('gives up after 20 seconds, and says what came back', async () => {
    const { parts, attempt, facts } = await withRoute(() => answers({ status: 503 }));
    const clock = movableMonotonicClock(mock);
    try {
      const edge = {
        ...parts.edge,
        probe: async (...given: Parameters<typeof parts.edge.probe>) => {
          clock.tick(20_001);
          return await parts.edge.probe(...given);
        },
      };
      await assert.rejects(checkHealth({ ...parts, edge }, attempt(facts)), (error) => {
        assert.ok(error instanceof FairleadError);
        assert.deepEqual([error.code, error.retryable], ['HEALTH_CHECK_FAILED', false]);
        assert.match(error.message, /public health check failed: GET .*\/healthz answered 503/);
        assert.deepEqual((error.details as { probe: string }).probe, 'public');
        return true;
      });
    } finally {
      mock.restoreAll();
    }
  });

  it('the clock of the machine set ahead ends no check', async (t) => {
    let asked = 0;
    const { parts, attempt, facts } = await withRoute(() => {
      asked += 1;
      if (asked === 1) setClockAhead(t.mock);
      return answers({ status: asked === 1 ? 502 : 200 });
    });
    assert.deepEqual(await checkHealth(parts, attempt(facts)), { healthReportsCommit: true });
    assert.equal(asked, 2);
  });

  it('an attempt that is aborted, before it asks or between two questions, ends', async () => {
    const { parts, attempt, facts } = await withRoute(() => answers({ status: 503 }));
    const early = attempt(facts, AbortSignal.abort(new Error('cancelled')));
    await assert.rejects(checkHealth(parts, early), /cancelled/);
    const abort = new AbortController();
    const waiting = checkHealth(parts, attempt(facts, abort.signal));
    setImmediate(() => abort.abort(new Error('cancelled')));
    await assert.rejects(waiting, /cancelled|aborted/);
  });
});
