import { CancelledFailure, Context } from '@temporalio/activity';
import type { BuildRequest, BuildStep, PlannedStep } from '../../domain/deploys/build.ts';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import type { BuildFacts } from '../../domain/deploys/facts.ts';
import type { StepDefinition } from '../../domain/deploys/step-definition.ts';
import { FairleadError } from '../../domain/errors.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import { createBuildLogWriter } from './build-log-writer.ts';
import type { DeploysDeps } from './deps.ts';
import { buildRedactor, redactError } from './redaction.ts';
import { type PlanDeps, replan } from './replan.ts';

export interface StepInput {
  readonly build: BuildRequest;
  readonly facts: BuildFacts;
  /** Attempts before the build waited for a decision; absent where it did not. */
  readonly attempts?: number;
}

export interface StepResult {
  readonly facts: BuildFacts;
  /** What is left to run, when the step found out what decides it. */
  readonly plan?: readonly PlannedStep[];
}

/** What a step's work gets: the input, a log, the abort signal, and a place for warnings. */
export interface StepContext extends StepInput, EffectContext {
  /** From 1. */
  readonly attempt: number;
  readonly warn: (warning: string) => void;
  /** Keeps lines that explain a failure, in the log and on the build record. */
  readonly diagnose: (title: string, lines: readonly string[]) => Promise<void>;
}

/** The work of a step; `D` names the ports that it uses. */
export type StepWork<D = DeploysDeps> = (deps: D, context: StepContext) => Promise<BuildFacts>;

type Deps = PlanDeps & Pick<DeploysDeps, 'log' | 'services' | 'releases' | 'cipher' | 'databases' | 'now' | 'settings'>;

/**
 * Carries out one step of a build as an activity: records that it runs and how it ended, heartbeats, obeys the abort
 * signal, and writes the step's log. A step that finds the catalog has the rest of the build planned with it.
 * Idempotent as far as the work is: the record is updated by step key, and refuses what an earlier attempt writes late.
 */
export async function runStep(
  deps: Deps,
  definition: StepDefinition,
  input: StepInput,
  work: (context: StepContext) => Promise<BuildFacts>,
): Promise<StepResult> {
  const attempt = (input.attempts ?? 0) + Context.current().info.attempt;
  const { key, title } = definition;
  const { buildId } = input.build;
  const started = { state: 'running', attempt, startedAt: deps.now(), finishedAt: null } as const;
  const isLocal = definition.run?.local === true;
  const [redact, isMine] = await Promise.all([
    buildRedactor(deps, input.build),
    deps.builds.markStep(buildId, definition, started, { attempt }),
  ]);
  const log = createBuildLogWriter({ log: deps.log, buildId, step: key, redact, now: deps.now });
  const warnings: string[] = [];
  const warn = (warning: string): void => {
    warnings.push(redact(warning));
    log.write(warning, 'warn');
  };
  // Local activities count their attempts anew when a workflow task is lost, and then end what an attempt left.
  if (!isMine && !isLocal) throw attemptIsOver(title);
  if (input.attempts !== undefined) await forgetWarnings(deps, buildId, { key, attempt });
  log.write(attempt === 1 ? title : `${title}, attempt ${attempt}`);
  try {
    const facts = await whileHeartbeating((signal) =>
      work({
        ...input,
        attempt,
        signal,
        onLine: (line, level) => log.write(line, level),
        warn,
        diagnose: async (heading, lines) => {
          log.write(heading, 'warn');
          for (const line of lines) log.write(`  | ${line}`, 'warn');
          await deps.builds.addDiagnostic(buildId, { step: key, title: heading, lines: lines.map(redact) });
        },
      }),
    );
    const known = { facts: { ...input.facts, ...facts }, after: key };
    const plan = facts.catalog === undefined ? {} : { plan: await replan(deps, input.build, known, warn) };
    await whileHeartbeating(() => log.close());
    const completed = { state: 'completed', finishedAt: deps.now(), warnings } as const;
    const by = isLocal ? {} : { attempt };
    await deps.builds.markStep(buildId, definition, completed, { facts, warnings, ...by });
    return { facts, ...plan };
  } catch (error) {
    const shown = redactError(error, redact);
    if (!(shown instanceof CancelledFailure)) {
      // The message of any other error was not written for the people who read a build's log.
      const text = shown instanceof FairleadError ? shown.message : `${title}: unexpected error`;
      log.write(text, isWaitedFor(shown, definition, input) ? 'warn' : 'error');
    }
    // The step's own error matters more than one of the log store, which would only repeat it.
    await whileHeartbeating(() => log.close()).catch(() => undefined);
    // What follows, such as undoing the build or waiting for the next attempt, is no time of the step.
    const ended = { finishedAt: deps.now() };
    await deps.builds.markStep(buildId, definition, ended, { attempt }).catch(() => undefined);
    throw shown;
  }
}

/** What the step warned of before the build waited: this attempt says what is so by now. */
async function forgetWarnings(
  { builds }: Pick<Deps, 'builds'>,
  buildId: string,
  of: Pick<BuildStep, 'key' | 'attempt'>,
): Promise<void> {
  const step = (await builds.find(buildId))?.steps.find(({ key }) => key === of.key);
  await builds.removeWarnings(buildId, step?.warnings ?? [], of);
}

/** True for a failure that ends the build only where nobody decides in its time. */
function isWaitedFor(error: unknown, { run }: StepDefinition, { build }: StepInput): boolean {
  if (build.waitForGrantsSeconds === undefined) return false;
  return error instanceof FairleadError && error.code === run?.wait?.code;
}

/** What an attempt gets that wakes up after a later one began, or after the build ended. */
function attemptIsOver(title: string): FairleadError {
  return new FairleadError('CONFLICT', `${title}: the build has ended, or a later attempt works on this step.`);
}

/** The named facts, which earlier steps must have found. @throws INTERNAL when the pipeline is out of order. */
export function requireFacts<K extends keyof BuildFacts>(
  facts: BuildFacts,
  names: readonly K[],
): { [P in K]-?: NonNullable<BuildFacts[P]> } {
  const missing = names.filter((name) => facts[name] === undefined || facts[name] === null);
  if (missing.length > 0) {
    throw new FairleadError('INTERNAL', `The step needs ${missing.join(', ')}, which no earlier step has provided.`);
  }
  return facts as { [P in K]-?: NonNullable<BuildFacts[P]> };
}
