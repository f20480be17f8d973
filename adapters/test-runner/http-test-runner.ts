import { z } from 'zod';
import { MOST_MESSAGE_CHARACTERS, RUN_SECONDS, type TestRunner } from '../../domain/deploys/gated-tests.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type CalledService, createPlatformCall, type PlatformConnection } from '../platform-call/platform-call.ts';

const TIMEOUT_MS = (RUN_SECONDS + 20) * 1_000;
const TEST_RUNNER: CalledService = {
  system: 'test-runner',
  title: 'The test runner',
  keyVariable: 'INTERNAL_SERVICE_KEY',
  mostCharacters: 256 * 1024,
};

const reply = z.object({
  results: z.array(z.object({ passed: z.boolean(), message: z.string().max(MOST_MESSAGE_CHARACTERS) })),
});

/** A test runner over HTTP (`POST /runs`), which reaches the service at its public address. */
export function createHttpTestRunner(connection: PlatformConnection): TestRunner {
  const call = createPlatformCall({ timeoutMs: TIMEOUT_MS, ...connection }, TEST_RUNNER);
  return {
    async run({ service, environment, url, commit }, tests, { signal }) {
      const body = { service, environment, url, commit, tests };
      const { results } = await call(reply, { method: 'POST', path: '/runs', body, signal });
      if (results.length === tests.length) return results;
      const message = `The test runner answered ${results.length} results for ${tests.length} tests.`;
      throw new FairleadError('UNAVAILABLE', message, { system: TEST_RUNNER.system, retryable: true });
    },
  };
}
