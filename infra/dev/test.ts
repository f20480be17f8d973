import { globSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { parseArgs } from 'node:util';
import { runChecks } from './checks.ts';
import { useEngine } from './container-engine.ts';
import { projectRoot } from './project.ts';
import type { EngineConsent } from './start-engine.ts';
import { createReporter, errorLine, type Reporter } from './terminal.ts';
import { runFiles, type Tally } from './test-run.ts';
import { forgetProduction, startTestStack } from './test-stack.ts';
import { resolveNeed } from './tools.ts';

/**
 * `npm test [-- <glob or substring> …] [--no-e2e] [--yes]`: checks, then tests without a stack, then end-to-end tests on
 * one embedded stack. A filter leaves the checks out. `--yes` installs a container engine where there is none; an
 * installed one is started in any case. The last line is `N passed, N failed`.
 */

const UNIT_TIMEOUT_MS = 180_000;
const E2E_TIMEOUT_MS = 900_000;
const SLOWEST = 10;

async function runAll(tally: Tally, report: Reporter, signal: AbortSignal): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'no-e2e': { type: 'boolean', default: false }, yes: { type: 'boolean', default: false } },
  });
  if (positionals.length === 0) await addChecks(tally);
  const files = globSync('test/**/*.test.ts', { cwd: projectRoot })
    .filter((file) => !file.startsWith('test/fixtures/'))
    .filter(
      (file) => positionals.length === 0 || positionals.some((one) => file.includes(one) || matchesGlob(file, one)),
    )
    .sort();
  const isE2e = (file: string): boolean => file.startsWith('test/e2e/');
  const absolute = (file: string): string => join(projectRoot, file);
  if (files.some((file) => !isE2e(file))) await addTestServer(tally, report);
  const unit = files.filter((file) => !isE2e(file)).map(absolute);
  const e2e = values['no-e2e'] ? [] : files.filter(isE2e).map(absolute);
  // Tests of adapters use the engine as well as the stack does: it is there from the first test to the last.
  const consent = { may: values.yes ? 'install' : 'start', command: 'npm test -- --yes' } as const;
  const engine = await useEngine({ env: process.env, report, consent });
  try {
    await runFiles({ files: unit, concurrency: 2, timeoutMs: UNIT_TIMEOUT_MS, signal }, tally);
    if (e2e.length > 0 && !signal.aborted) await runEndToEnd(e2e, tally, report, { engine: consent, signal });
  } finally {
    await engine.leave();
  }
}

async function addChecks(tally: Tally): Promise<void> {
  for (const { name, failure } of await runChecks(console.log)) {
    if (failure === undefined) tally.passed += 1;
    else tally.failures.push({ name, file: '', reason: failure });
  }
}

/** Workflow tests find the time-skipping server by its variable; without it they fail and say so. */
async function addTestServer(tally: Tally, report: Reporter): Promise<void> {
  try {
    process.env.FAIRLEAD_TEST_SERVER = (await resolveNeed('test-server', { env: process.env, report })).path;
  } catch (error) {
    tally.failures.push({ name: 'the time-skipping test server is available', file: '', reason: errorLine(error) });
  }
}

async function runEndToEnd(
  files: readonly string[],
  tally: Tally,
  report: Reporter,
  { engine, signal }: { engine: EngineConsent; signal: AbortSignal },
) {
  report.line('\nstarting a stack for the end-to-end tests …');
  const failuresBefore = tally.failures.length;
  const { stack, end } = await startTestStack(process.env, report, { engine, signal });
  try {
    process.env.FAIRLEAD_TEST_STACK = stack.dataDir;
    await runFiles({ files, concurrency: 1, timeoutMs: E2E_TIMEOUT_MS, signal }, tally);
  } finally {
    await end(tally.failures.length > failuresBefore);
  }
}

function summarize(tally: Tally): boolean {
  const slowest = tally.durations.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  if (slowest.length > 0) console.log('\nslowest tests:');
  for (const { name, ms } of slowest) console.log(`  ${(ms / 1000).toFixed(1).padStart(6)} s  ${name}`);
  if (tally.passed + tally.failures.length === 0) {
    tally.failures.push({ name: 'at least one test runs', file: '', reason: 'no test matched' });
  }
  if (tally.failures.length > 0) console.log('\nfailed:');
  for (const { name, file, reason } of tally.failures)
    console.log(`  ✖ ${name}${file ? ` (${file})` : ''}\n      ${reason}`);
  if (tally.skipped > 0) console.log(`\n${tally.skipped} skipped`);
  console.log(`${tally.passed} passed, ${tally.failures.length} failed`);
  return tally.failures.length === 0;
}

const tally: Tally = { passed: 0, skipped: 0, failures: [], durations: [] };
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
process.exitCode = summarize(tally) ? 0 : 1;
process.exit();
