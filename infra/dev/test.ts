import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChecks } from './checks.ts';
import { type Engine, useEngine } from './container-engine.ts';
import { createDisposableStacks } from './disposable-stacks.ts';
import { freePorts } from './free-ports.ts';
import { watchIdleCores } from './idle-cores.ts';
import { projectRoot } from './project.ts';
import { filesOfSample, SAMPLED_FILES } from './sampled-files.ts';
import type { EngineConsent } from './start-engine.ts';
import { createReporter, errorLine, type Reporter } from './terminal.ts';
import { LANES, type Lane, needsEngine } from './test-lanes.ts';
import { startTestParts } from './test-parts.ts';
import { addVerdicts, summaryOf } from './test-report.ts';
import { runFiles } from './test-run.ts';
import { SAMPLED_OF, sampleOf } from './test-sample.ts';
import { keepSeconds, longestFirst, readSeconds } from './test-seconds.ts';
import { selectFiles } from './test-selection.ts';
import { forgetProduction, startTestStack, TEST_SETTINGS } from './test-stack.ts';
import { newTally, type Tally } from './test-tally.ts';
import { TEST_GIT_URL, TEST_SAMPLE, TEST_SMOKE, TEST_STACK } from './test-variables.ts';

/**
 * `npm test [-- <glob or substring> …] [--smoke] [--every] [--no-e2e] [--yes]`: checks, then the lanes of tests, end-to-end
 * tests on one embedded stack. A filter leaves the checks out, and shows every test. `--smoke` takes a selection of 90
 * seconds. `--every` plays each point of exhaustive matrices and each long file of one concern, of which one of three is
 * played else; so does a filter. `--yes` installs a container engine where there is none; an installed one is started in
 * any case. The last line is `N passed, N failed`.
 */

interface Run {
  readonly tally: Tally;
  readonly report: Reporter;
  readonly signal: AbortSignal;
  readonly engine: EngineConsent;
  readonly everyTest: boolean;
  /** Every point of exhaustive matrices is played, which may take a file so many times as long as the sample does. */
  readonly everyPoint: boolean;
}

async function runAll(tally: Tally, report: Reporter, signal: AbortSignal): Promise<void> {
  const { values, positionals: filters } = parseArgs({
    allowPositionals: true,
    options: {
      'no-e2e': { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      every: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    },
  });
  if (filters.length === 0) await addChecks(tally);
  const sample = values.every || filters.length > 0 ? null : await sampleOf(projectRoot);
  if (sample !== null) report.line(SAMPLED);
  const selected = selectFiles({ filters, smoke: values.smoke, endToEnd: !values['no-e2e'] });
  const files = filesOfSample(selected, sample);
  const engine: EngineConsent = { may: values.yes ? 'install' : 'start', command: 'npm test -- --yes' };
  // Tests of adapters use the engine as well as the stack does: it is there from the first test to the last.
  const used = files.some(needsEngine);
  const { leave } = used ? await useCleanEngine(report, engine) : { leave: async () => {} };
  const parts = await startTestParts({ env: process.env, report, files: files.length, smoke: values.smoke });
  for (const { name, reason } of parts.missing) tally.failures.push({ name, file: '', reason });
  Object.assign(process.env, parts.variables, { LOCAL_SOURCES_ROOT: TEST_SETTINGS.LOCAL_SOURCES_ROOT });
  Object.assign(process.env, { [TEST_SAMPLE]: sample ?? '', [TEST_SMOKE]: values.smoke ? 'true' : '' });
  try {
    const all = { everyTest: filters.length > 0, everyPoint: sample === null };
    await runLanes(files, { tally, report, signal, engine, ...all });
  } finally {
    keepSeconds(process.env, tally);
    await parts.stop();
    await leave();
  }
}

/** Without the containers of earlier runs that were killed, which the engine starts whenever it starts itself. */
async function useCleanEngine(report: Reporter, consent: EngineConsent): Promise<Pick<Engine, 'leave'>> {
  const engine = await useEngine({ env: process.env, report, consent });
  try {
    const { removed, problems } = await createDisposableStacks(engine.docker, process.env).removeAbandoned();
    if (removed.length > 0)
      report.line(`Container engine: removed what ${removed.length} killed stacks of tests left there`);
    for (const problem of problems)
      report.line(`Container engine: cannot remove what a killed stack left there, ${problem}`);
    return engine;
  } catch (error) {
    await engine.leave();
    throw error;
  }
}

const SAMPLED =
  `of exhaustive matrices, one of ${SAMPLED_OF} points is played, and of ${SAMPLED_FILES.length} long files one of ` +
  `${SAMPLED_OF}, other ones with the next commit; --every plays all`;

async function addChecks(tally: Tally): Promise<void> {
  for (const { name, failure } of await runChecks(console.log)) {
    if (failure === undefined) tally.passed += 1;
    else tally.failures.push({ name, file: '', reason: failure });
  }
}

interface FilledLane {
  readonly lane: Lane;
  readonly files: readonly string[];
}

async function runLanes(files: readonly string[], run: Run): Promise<void> {
  const ordered = longestFirst(files, readSeconds(process.env));
  const filled = LANES.map((lane) => ({ lane, files: ordered.filter(lane.holds) })).filter(
    (one) => one.files.length > 0,
  );
  const shared = filled.filter(({ lane }) => !lane.hasMachine);
  const onStack = shared.filter(({ lane }) => lane.needsStack);
  // The lane beside the stack's runs as many files fewer as these take, and more again when they have ended.
  let taken = onStack[0]?.lane.concurrency ?? 0;
  // Each to its end, whatever becomes of the other: nothing may run on when the parts are stopped.
  const ended = await Promise.allSettled([
    runInTurn(
      shared.filter(({ lane }) => !lane.needsStack),
      run,
      ({ concurrency }) => concurrency - taken,
    ),
    runOnStack(onStack, run, ({ concurrency }) => {
      taken = concurrency;
      return concurrency;
    }).finally(() => {
      taken = 0;
    }),
  ]);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  await runInTurn(
    filled.filter(({ lane }) => lane.hasMachine),
    run,
  );
}

/** How many files of a lane may run at once by now. */
type AtOnce = (lane: Lane) => number;

/**
 * These tests build dozens of apps. In the machine's engine they find the caches of earlier runs; the engine of builds
 * has its tests in adapters/docker/, and on a whole stack in hostile/.
 */
const BUILDS = { BUILD_ENGINE: 'machine' };

async function runOnStack(lanes: readonly FilledLane[], run: Run, atOnce: AtOnce): Promise<void> {
  if (lanes.length === 0 || run.signal.aborted) return;
  run.report.line('starting a stack for the end-to-end tests …');
  const [port = 0] = await freePorts(1);
  const gitUrl = `http://127.0.0.1:${port}`;
  const variables = { ...BUILDS, GIT_URL: gitUrl };
  const { stack, end } = await startTestStack(process.env, run.report, { ...run, variables });
  const failed = (): boolean => run.tally.failures.some(({ file }) => lanes.some(({ lane }) => lane.holds(file)));
  try {
    process.env[TEST_STACK] = stack.dataDir;
    process.env[TEST_GIT_URL] = gitUrl;
    await runInTurn(lanes, run, atOnce);
  } finally {
    await end(failed());
  }
}

async function runInTurn(lanes: readonly FilledLane[], run: Run, atOnce: AtOnce = (lane) => lane.concurrency) {
  for (const filled of lanes) await runLane(filled, run, () => atOnce(filled.lane));
}

async function runLane({ lane, files }: FilledLane, run: Run, concurrency: () => number): Promise<void> {
  const { tally, report, signal, everyTest, everyPoint } = run;
  if (signal.aborted) return;
  const startedAt = performance.now();
  const { mostAtOnce } = lane;
  const fileLimitMs = lane.fileLimitMs * (everyPoint ? SAMPLED_OF : 1);
  const isIdle = watchIdleCores();
  const mayRunMore = (running: number): boolean => running < mostAtOnce && isIdle();
  const paths = files.map((file) => join(projectRoot, file));
  const print = (text: string): void => void process.stdout.write(text);
  report.line(`\n${lane.title}: ${files.length} files, ${concurrency()} at once`);
  await runFiles({ files: paths, concurrency, mayRunMore, fileLimitMs, signal, print, everyTest }, tally);
  report.line(`${lane.title}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

const startedAt = performance.now();
const tally = newTally();
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());
forgetProduction(process.env);
try {
  await runAll(tally, createReporter(process.stdout), interrupted.signal);
  if (interrupted.signal.aborted)
    tally.failures.push({ name: 'the run was not interrupted', file: '', reason: 'interrupted' });
} catch (error) {
  tally.failures.push({ name: 'the run reached its end', file: '', reason: errorLine(error) });
}
addVerdicts(tally);
console.log(summaryOf(tally, (performance.now() - startedAt) / 1000));
process.exit(tally.failures.length === 0 ? 0 : 1);
