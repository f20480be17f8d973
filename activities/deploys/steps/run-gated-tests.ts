import type { TestDeclaration } from '../../../domain/catalog/catalog.ts';
import type { BuildFailure } from '../../../domain/deploys/build.ts';
import { earlierRelease } from '../../../domain/deploys/earlier-release.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { TestResult, TestRunner } from '../../../domain/deploys/gated-tests.ts';
import type { Workload } from '../../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireRelease } from '../registered-service.ts';
import { requireFacts, type StepContext } from '../step.ts';
import { registerRelease } from './register-release.ts';

type GateDeps = Parameters<typeof registerRelease>[0];
type Deps = GateDeps & Pick<DeploysDeps, 'testRunner' | 'runtime' | 'edge'>;

/** What is known of a build whose step ended without a result. */
export interface NoResultInput extends Pick<StepContext, 'build' | 'facts'> {
  readonly failure: BuildFailure;
}

/** From this attempt on, a runner without a result counts as a failed test. */
const LAST_ATTEMPT = 3;
/** Of the failed tests, those that the error names. */
const MOST_NAMED = 5;

/**
 * Runs the tests that the catalog declares. When one fails, or none can be run, the release is registered before the
 * build fails: its workload stays and serves (spec 2, "Fail-open versus hard-fail"), and the undo of the install, which
 * asks for that, leaves it. Idempotent: the registration sets a state; tests ask again what they asked.
 *
 * @throws TESTS_FAILED; UNAVAILABLE (retryable) when there is no result yet; CONFLICT when the installation was undone
 */
export async function runGatedTests(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { catalog } = requireFacts(context.facts, ['catalog']);
  const { tests } = catalog;
  const results = await resultsOf(deps, context, tests);
  for (const [index, { passed, message }] of results.entries()) {
    context.onLine(`${passed ? 'passed' : 'FAILED'}  ${tests[index]?.name}: ${message}`, passed ? 'info' : 'error');
  }
  const failed = results.flatMap(({ passed, message }, index) => (passed ? [] : [`${tests[index]?.name}: ${message}`]));
  if (failed.length === 0) {
    context.onLine(`${results.length} tests passed`);
    return {};
  }
  await context.diagnose('Deploy-gated tests', failed);
  const rest = failed.length > MOST_NAMED ? `; and ${failed.length - MOST_NAMED} more` : '';
  const named = failed.slice(0, MOST_NAMED).join('; ') + rest;
  throw await failGate(deps, context, `${failed.length} of ${results.length} tests failed: ${named}.`);
}

/** @throws the runner's own error while another attempt may have a result */
async function resultsOf(
  deps: Deps,
  context: StepContext,
  tests: readonly TestDeclaration[],
): Promise<readonly TestResult[]> {
  const { build, attempt, signal } = context;
  const runner = requireRunner(deps);
  const release = await requireRelease(deps, context);
  const workload = await requireWorkload(deps, context);
  const { service, environment } = build;
  const url = deps.edge.url(service, environment);
  try {
    return await runner.run({ service, environment, workload, url, commit: release.commitSha }, tests, context);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof FairleadError) || (error.retryable && attempt < LAST_ATTEMPT)) throw error;
    throw await failGate(deps, context, `The tests could not be run: ${error.message}`);
  }
}

/**
 * Ends the gate of a release whose tests have no result, as failed ones end it. Idempotent: it sets a state.
 * @returns the failure of the build @throws CONFLICT when the installation was undone; INSTALL_FAILED without a workload
 */
export async function keepUntested(
  deps: GateDeps & Pick<DeploysDeps, 'runtime'>,
  input: NoResultInput,
): Promise<BuildFailure> {
  await requireWorkload(deps, input);
  const { code, message } = await failGate(deps, input, `The tests have no result: ${input.failure.message}`);
  return { code, message, step: input.failure.step };
}

async function requireWorkload(
  { runtime }: Pick<DeploysDeps, 'runtime'>,
  { build: { service, environment }, facts }: Pick<StepContext, 'build' | 'facts'>,
): Promise<Workload> {
  const workloads = await runtime.list(service, environment);
  const workload = workloads.find(({ id }) => id === facts.workloadId);
  if (workload !== undefined) return workload;
  throw new FairleadError('INSTALL_FAILED', `The workload of ${service} is gone.`);
}

async function failGate(
  deps: GateDeps,
  context: Pick<StepContext, 'build' | 'facts'>,
  why: string,
): Promise<FairleadError> {
  await registerRelease(deps, context);
  const { service, environment } = context.build;
  const stays = `${why} The new release stays and serves`;
  const earlier = await earlierRelease(deps, { service, environment });
  if (earlier === null) return new FairleadError('TESTS_FAILED', `${stays}; there is none before it to go back to.`);
  const remedy = `fairlead rollback ${service} --env ${environment}`;
  return new FairleadError('TESTS_FAILED', `${stays}; go back to the one before with: ${remedy}`);
}

/** @throws UNAVAILABLE on a worker without one, where another worker planned the build */
function requireRunner({ testRunner }: Pick<Deps, 'testRunner'>): TestRunner {
  if (testRunner !== null) return testRunner;
  throw new FairleadError('UNAVAILABLE', 'No test runner is configured on the worker: set TEST_RUNNER_URL.', {
    system: 'test-runner',
  });
}
