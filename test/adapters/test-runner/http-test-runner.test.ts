import assert from 'node:assert/strict';
import { json } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { createHttpTestRunner } from '../../../adapters/test-runner/http-test-runner.ts';
import type { TestDeclaration } from '../../../domain/catalog/catalog.ts';
import { MOST_MESSAGE_CHARACTERS, type TestedRelease } from '../../../domain/deploys/gated-tests.ts';
import type { Workload } from '../../../domain/deploys/workload-runtime.ts';
import { testRecord } from '../../ports/records.ts';
import { answerOf, testRunnerSuite } from '../../ports/test-runner.ts';
import { createInMemoryNetwork } from '../../support/in-memory/network.ts';
import { createInMemoryTestRunner } from '../../support/in-memory/test-runner.ts';
import { KEY } from '../../support/start-registry.ts';
import {
  answering,
  failing,
  PATIENCE_MS,
  refusedAddress,
  serveUpstream,
  UPSTREAM_FAULTS,
} from '../../support/upstream-faults.ts';

function createService() {
  const network = createInMemoryNetwork();
  const address = network.listen(answerOf);
  const workload: Workload = {
    ...{ id: 'w1', buildId: 'bld_1', releaseId: 'rel_1', service: 'suite', environment: 'sandbox', running: true },
    address,
  };
  return { runner: createInMemoryTestRunner({ network }), workload };
}

const { workload: WORKLOAD } = createService();
const TARGET: TestedRelease = {
  ...{ service: 'suite', url: 'http://suite.example', commit: 'c0ffee' },
  environment: 'sandbox',
  workload: WORKLOAD,
};
const CONTEXT = { signal: new AbortController().signal, onLine: () => undefined };

/** A runner that speaks the protocol, on a service in memory. */
async function startRunner(t: TestContext) {
  const { runner, workload } = createService();
  const bodies: object[] = [];
  const url = await serveUpstream(t, async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/runs' || request.headers['x-internal-key'] !== KEY) {
      failing(401, 'UNAUTHORIZED')(request, response);
      return;
    }
    const { tests, ...target } = (await json(request)) as { tests: TestDeclaration[] };
    bodies.push(target);
    const results = await runner.run({ ...TARGET, workload }, tests, CONTEXT);
    answering(200, JSON.stringify({ success: true, data: { results } }))(request, response);
  });
  return { runner: createHttpTestRunner({ url, internalKey: KEY }), workload, bodies };
}

const results = (...list: readonly unknown[]) =>
  answering(200, JSON.stringify({ success: true, data: { results: list } }));
const PASSED = { passed: true, message: 'ok' };

describe('a test runner over HTTP', () => {
  testRunnerSuite(startRunner);

  it('is told where the service is public, and which commit it is', async (t) => {
    const { runner, bodies } = await startRunner(t);
    await runner.run(TARGET, [testRecord()], CONTEXT);
    assert.deepEqual(bodies, [
      { service: 'suite', environment: 'sandbox', url: 'http://suite.example', commit: 'c0ffee' },
    ]);
  });
});

describe('a test runner in memory', () => testRunnerSuite(async () => createService()));

describe('the client of a test runner', () => {
  const connect = (url: string) => createHttpTestRunner({ url, internalKey: KEY, timeoutMs: PATIENCE_MS });
  const FAULTS: typeof UPSTREAM_FAULTS = [
    ...UPSTREAM_FAULTS.filter(([what]) => what !== 'more than it may'),
    ['too few results', results(), /0 results for 1 tests/],
    ['too many results', results(PASSED, PASSED), /2 results for 1 tests/],
    ['a result that is no flag', results({ ...PASSED, passed: 'yes' }), /has another version/],
    ['a result without words', results({ passed: true }), /has another version/],
    ['an endless message', results({ ...PASSED, message: 'x'.repeat(MOST_MESSAGE_CHARACTERS + 1) }), /another version/],
    ['more than it may', results({ ...PASSED, message: 'x'.repeat(300_000) }), /unexpected format/],
  ];
  for (const [what, listener, message] of FAULTS) {
    it(`takes ${what} for no result`, async (t) => {
      const runner = connect(await serveUpstream(t, listener));
      const failure = { code: 'UNAVAILABLE', system: 'test-runner', retryable: true, message };
      await assert.rejects(runner.run(TARGET, [testRecord()], CONTEXT), failure);
    });
  }

  it('cuts an endless refusal, which goes into the record of the build', async (t) => {
    const runner = connect(await serveUpstream(t, failing(400, 'VALIDATION_FAILED', 'no '.repeat(20_000))));
    await assert.rejects(runner.run(TARGET, [testRecord()], CONTEXT), { message: /^.{1,1992} … \(cut\)$/ });
  });

  it('takes a port where nobody listens for no result', async () => {
    const failure = { code: 'UNAVAILABLE', system: 'test-runner', message: 'The test runner cannot be reached.' };
    await assert.rejects(connect(await refusedAddress()).run(TARGET, [testRecord()], CONTEXT), failure);
  });
});
