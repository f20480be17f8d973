import type { TestRunner } from '../../../domain/deploys/gated-tests.ts';
import type { InMemoryNetwork } from './network.ts';

/** Runs tests in this process, with GET alone. */
export function createInMemoryTestRunner({ network }: { readonly network: InMemoryNetwork }): TestRunner {
  return {
    run: ({ workload }, tests, { signal }) =>
      Promise.all(
        tests.map(async ({ method, path, expectStatus, expectBodyContains }) => {
          const asked = `${method} ${path}`;
          const reply = await network.get(workload.address, path, signal);
          if (reply === null) return { passed: false, message: `${asked} failed: ECONNREFUSED` };
          const { status, body } = reply;
          const isExpected = expectStatus === null ? status >= 200 && status < 300 : status === expectStatus;
          if (!isExpected)
            return { passed: false, message: `${asked} answered ${status}, expected ${expectStatus ?? '2xx'}` };
          const holds = expectBodyContains === null || body.includes(expectBodyContains);
          return { passed: holds, message: `${asked} answered ${status}${holds ? '' : ' without the expected text'}` };
        }),
      ),
  };
}
