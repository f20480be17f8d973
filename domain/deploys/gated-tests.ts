import type { TestDeclaration } from '../catalog/catalog.ts';
import type { DeployTarget } from './build-store.ts';
import type { EffectContext } from './effect-context.ts';
import type { Workload } from './workload-runtime.ts';

/** What the tests of a catalog are run against. */
export interface TestedRelease extends DeployTarget {
  readonly workload: Workload;
  /** Public address of the service. */
  readonly url: string;
  readonly commit: string | null;
}

export interface TestResult {
  readonly passed: boolean;
  /** What was asked and what came back, without anything of the answer but its status. */
  readonly message: string;
}

/**
 * Runs the tests of a catalog. They ask the service alone, whatever they declare and wherever it redirects to.
 *
 * @throws UNAVAILABLE (retryable) when there is no result: it is away, died half-way, or answers what is none; or the
 *   abort reason
 */
export interface TestRunner {
  /** @returns one result for each test, in their order */
  run(
    release: TestedRelease,
    tests: readonly TestDeclaration[],
    context: EffectContext,
  ): Promise<readonly TestResult[]>;
}

/** In the place of an address of a test runner: tests run in a container of the engine. */
export const CONTAINER_TESTS = 'container:';

/** Longest time of one test, and of all tests of a run. */
export const TEST_SECONDS = 10;
export const RUN_SECONDS = 120;
/** Of a result, as it comes from a runner. */
export const MOST_MESSAGE_CHARACTERS = 2_000;
