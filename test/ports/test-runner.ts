import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { TestDeclaration } from '../../domain/catalog/catalog.ts';
import type { TestRunner } from '../../domain/deploys/gated-tests.ts';
import type { Workload } from '../../domain/deploys/workload-runtime.ts';
import { patience } from '../support/patience.ts';
import { testRecord } from './records.ts';

export interface RunnerUnderTest {
  readonly runner: TestRunner;
  /** Of a service that answers as {@link answerOf}. */
  readonly workload: Workload;
}

/** What the service of the suite answers to a GET. */
export function answerOf(path: string): { readonly status: number; readonly body: string } {
  const [, status = '404'] = /^\/status\/(\d+)/.exec(path) ?? [];
  return path === '/' || path === '/?a=b&c=/d'
    ? { status: 200, body: 'hello, world' }
    : { status: Number(status), body: 'no' };
}

/** Tests, whether they pass, and what is said of them. */
const ROWS: readonly [test: Partial<TestDeclaration>, passed: boolean, message: string][] = [
  [{}, true, 'GET / answered 200'],
  [{ path: '/?a=b&c=/d', expectBodyContains: 'world' }, true, 'GET /?a=b&c=/d answered 200'],
  [{ expectStatus: 200 }, true, 'GET / answered 200'],
  [{ expectStatus: 201 }, false, 'GET / answered 200, expected 201'],
  [{ path: '/status/204' }, true, 'GET /status/204 answered 204'],
  [{ path: '/status/404' }, false, 'GET /status/404 answered 404, expected 2xx'],
  [{ path: '/status/404', expectStatus: 404 }, true, 'GET /status/404 answered 404'],
  [{ path: '/status/503' }, false, 'GET /status/503 answered 503, expected 2xx'],
  [{ expectBodyContains: 'World' }, false, 'GET / answered 200 without the expected text'],
  [{ path: '/status/500', expectStatus: 500, expectBodyContains: 'no' }, true, 'GET /status/500 answered 500'],
];

const target = (workload: Workload) => ({
  ...{ service: workload.service, environment: workload.environment, workload },
  ...{ url: 'http://suite.sandbox.localhost:8000', commit: 'c0ffee' },
});

/** What every {@link TestRunner} guarantees. */
export function testRunnerSuite(create: (t: TestContext) => Promise<RunnerUnderTest>): void {
  it('has a result for each test, in their order', async (t) => {
    const { runner, workload } = await create(t);
    const tests = ROWS.map(([test]) => testRecord(test));
    const context = { signal: patience(), onLine: () => undefined };
    assert.deepEqual(
      await runner.run(target(workload), tests, context),
      ROWS.map(([, passed, message]) => ({ passed, message })),
    );
  });

  it('says the same when it runs again', async (t) => {
    const { runner, workload } = await create(t);
    const context = { signal: patience(), onLine: () => undefined };
    const run = () => runner.run(target(workload), [testRecord()], context);
    assert.deepEqual(await run(), await run());
  });

  it('stops when it is told to', async (t) => {
    const { runner, workload } = await create(t);
    const reason = new Error('cancelled');
    const context = { signal: AbortSignal.abort(reason), onLine: () => undefined };
    await assert.rejects(runner.run(target(workload), [testRecord()], context), (error) => error === reason);
  });
}
